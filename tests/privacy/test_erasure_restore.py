"""A restored backup brings people back who had been erased; the list does not forget."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from conversations.models import Attachment, Customer, ErasureRequest, Tombstone
from tests.privacy.erasing import carry_on, erase
from tests.support.console import start
from tests.support.files import PICTURE, attach, bytes_left

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_list(settings, tmp_path):
    settings.ERASURE_LIST = str(tmp_path / "erasures.jsonl")


def test_whoever_comes_back_with_a_backup_is_erased_again(cast, settings):
    with cast.acme.scope():
        dora = Customer.objects.create(name="Dora", email="dora@example.org")
        start(cast.carol, "Forget me")
    carol_id = cast.carol.id
    erase(cast.acme, cast.carol)
    said = Path(settings.ERASURE_LIST).read_text()
    assert str(carol_id) not in said
    assert "carol" not in said
    # The backup knows Carol, and nothing of her erasure.
    with cast.acme.scope():
        ErasureRequest.objects.all().delete()
        Tombstone.objects.all().delete()
        back = Customer.objects.create(id=carol_id, name="Carol", email="carol@example.org")
        attach(start(back, "Forget me"), name="back-again.txt", preview=PICTURE)
    with Path(settings.ERASURE_LIST).open("a") as file:
        file.write('{"tenant": "cut o')  # by a crash
    out = StringIO()

    call_command("reapply_erasures", stdout=out)

    assert "acme: 1 to be erased again" in out.getvalue()
    with cast.acme.scope():
        request = ErasureRequest.objects.get()
    assert carry_on(cast.acme, request).state == "certified"
    with cast.acme.scope():
        assert list(Customer.stored.values_list("id", flat=True)) == [dora.id]
        assert (Attachment.stored.count(), bytes_left()) == (0, 0)


def test_without_a_restore_nobody_is_erased_again(cast):
    erase(cast.acme, cast.carol)
    out = StringIO()

    call_command("reapply_erasures", stdout=out)

    assert "acme: 0 to be erased again" in out.getvalue()
