"""Nothing is left of the person, in any store; nothing of anybody else is gone."""

import shutil

import pytest

from conversations.models import Conversation, ErasureState
from conversations.privacy.scanner import Wanted, scan_for
from tests.privacy.canaries import plant
from tests.privacy.erasing import ask, carry_on, no_wait
from tests.privacy.world import changed, neighbours, rows_without, unfound
from tests.support.redis import empty_redis

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "zoe.kanarie@example.org"


@pytest.fixture(autouse=True)
def _letters_in_the_folder(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    empty_redis()
    shutil.rmtree(settings.EMAIL_FILE_PATH, ignore_errors=True)


@pytest.fixture
def mallory_is_everybody(cast):
    """Globex has a team too."""
    for name, role in [("bob", "support_agent"), ("petra", "privacy_officer"), ("olga", "owner")]:
        cast.globex.hire(name, role)
    return cast


def test_every_canary_is_gone_and_every_neighbour_is_there(mallory_is_everybody):
    cast = mallory_is_everybody
    no_wait(cast.acme)
    neighbours(cast.acme)
    twin = plant(cast.globex, ADDRESS)
    zoe = plant(cast.acme, ADDRESS)
    mine = [word for place, word in zoe.words.items() if place != "address"]
    assert len(zoe.words) >= 40
    assert unfound(mine) == [], "Each must be found before it is looked for in vain."
    before = rows_without([*mine, *zoe.ids])
    others = sum(len(rows) for name, rows in before.items() if name.startswith("conversations"))
    assert others >= 200

    request = carry_on(cast.acme, ask(cast.acme, zoe.customer))

    assert (request.state, request.failure) == (ErasureState.CERTIFIED, ""), str(request.evidence)
    report = scan_for(Wanted(mine, ids=zoe.ids))
    assert (report.blind, _hits(report)) == ([], {})
    assert changed(before, rows_without([])) == {}
    assert unfound([word for place, word in twin.words.items() if place != "address"]) == []
    with cast.acme.scope():
        assert not Conversation.stored.filter(pk__in=[talk.pk for talk in zoe.talks]).exists()


def test_a_second_run_changes_nothing(cast):
    zoe = plant(cast.acme, ADDRESS)
    request = carry_on(cast.acme, ask(cast.acme, zoe.customer))
    before = rows_without([])

    assert request.state == ErasureState.CERTIFIED, str(request.evidence)
    carry_on(cast.acme, request)

    assert rows_without([]) == before


def _hits(report) -> dict[str, dict[str, int]]:
    return {store.name: store.hits for store in report.stores if store.hits}
