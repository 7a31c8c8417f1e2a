"""Files of somebody who is erased: unreachable at once, gone with their talk, counted apart."""

from uuid import uuid4

import pytest
from django.test import Client

from conversations.models import Attachment, AttachmentBody, Certificate, Conversation, Customer
from conversations.privacy.certificate_words import said
from conversations.privacy.database import connect
from conversations.privacy.survey import survey
from conversations.selectors.subjects import words_of
from conversations.services.files import bring
from conversations.services.hiding import hide
from conversations.services.messages import post_customer_message
from conversations.services.purging import counts_for
from conversations.shapes import file_json
from tests.privacy.erasing import erase
from tests.support.console import start
from tests.support.files import PICTURE, attach, bytes_left, staged

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def theirs(cast, talk):
    """Two of Carol's, one of the team beside them, one that she has not sent."""
    with cast.acme.scope():
        return [
            attach(talk, 1, preview=PICTURE),
            attach(talk, 1, name="second.txt"),
            attach(talk, 1, name="offer.pdf", customer=None, member=cast.acme.bob.member),
            staged(customer=cast.carol, name="carols-unsent-tax-return-2025.pdf"),
        ]


def test_nobody_opens_them_from_the_first_moment_on(cast, talk):
    with cast.acme.scope():
        file = bring(by=cast.carol, name="a.txt", content=b"words")
        post_customer_message(
            talk, customer=cast.carol, client_key=uuid4(), text="", attachments=[file.pk]
        )
        link = file_json(Attachment.objects.get(pk=file.pk))["url"]
    assert Client().get(link).status_code == 200

    with cast.acme.scope():
        hide(cast.carol.id)
        assert bytes_left() == 1

    assert Client().get(link).status_code == 404


def test_each_store_is_counted_beforehand_deleted_and_named(cast, talk, theirs):
    with cast.acme.scope():
        other = start(Customer.objects.create(name="Dora"), "Hi")
        kept = attach(other), attach(other, name="of team.txt", customer=None,
                                     member=cast.acme.bob.member)  # fmt: skip
        counts = counts_for(customer_id=cast.carol.id)
    wanted = {
        "files of messages": 3, "contents of files": 3,
        "files not sent": 1, "contents of files not sent": 1,
    }  # fmt: skip
    assert {name: counts[name] for name in wanted} == wanted
    with connect() as backup:
        found = survey(backup, cast.acme.tenant.id, cast.carol.id, [talk.id])
    assert (found["conversations_attachment"], found["conversations_attachmentbody"]) == (4, 4)

    request = erase(cast.acme, cast.carol)

    assert (request.state, request.failure) == ("certified", ""), str(request.evidence)
    assert {name: request.evidence["deleted"][name] for name in wanted} == wanted
    with cast.acme.scope():
        assert set(Attachment.stored.all()) == set(kept)
        assert AttachmentBody.objects.count() == 2
        certificate = Certificate.objects.get()
        words = said(certificate.body, certificate.public_key)
    titles = {counted.store.title: counted.rows for counted in words.counts}
    assert titles["Files"] == titles["Contents of files"] == 3
    assert titles["Contents of files that were not sent"] == 1
    looked = {one.store.title for one in words.scan}
    assert any(title.startswith("Inside files") for title in looked)


def test_bytes_that_an_eraser_forgot_are_seen_by_another_role(cast, talk, theirs):
    with cast.acme.scope():
        Attachment.stored.filter(pk=theirs[1].pk).update(conversation=None, seq=None)
    with connect() as backup:
        left = survey(backup, cast.acme.tenant.id, cast.carol.id, [])
    assert left["conversations_attachment"] == left["conversations_attachmentbody"] == 2


def test_a_name_that_only_they_have_is_looked_for(cast, talk, theirs):
    with cast.acme.scope():
        talks = Conversation.objects.filter(customer=cast.carol).values_list("pk", flat=True)
        _, own = words_of(cast.carol, list(talks))
        assert "carols-unsent-tax-return-2025.pdf" in own
        assert "receipt.txt" not in own
        attach(start(Customer.objects.create(name="Dora"), "Hi"), name=theirs[3].name)
        assert theirs[3].name not in words_of(cast.carol, list(talks))[1]
