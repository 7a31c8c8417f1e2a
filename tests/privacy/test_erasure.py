"""A request of erasure from its beginning to its end, and what it may not do."""

from uuid import uuid4

import psycopg
import pytest

from conversations.models import (
    ERASURE_TRANSITIONS,
    Conversation,
    Customer,
    ErasureRequest,
    ErasureState,
    LegalHold,
    Message,
)
from tests.privacy.erasing import ask, carry_on, erase, superuser_url
from tests.privacy.rows import full_talk
from tests.support.console import start

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_certified_and_forgets_whom_it_was_about(cast):
    with cast.acme.scope():
        start(cast.carol, f"My canary is {uuid4().hex} and it sings all day long.")

    request = erase(cast.acme, cast.carol)

    assert (request.state, request.failure) == (ErasureState.CERTIFIED, ""), str(request.evidence)
    assert (request.subject_id, request.sealed, request.reason) == (None, None, "")
    assert request.evidence["left"] == {}
    assert request.evidence["deleted"]["messages"] == 1
    assert request.done == request.total
    with cast.acme.scope():
        assert not Customer.stored.filter(pk=cast.carol.pk).exists()
        assert not Conversation.stored.exists()
        assert not Message.objects.exists()


def test_no_table_is_forgotten(cast):
    """A row in every table there is: one that no store empties would leave fewer deleted."""
    with cast.acme.scope():
        talk = full_talk()
        ErasureRequest.objects.all().delete()
        LegalHold.objects.all().delete()
        customer = talk.customer

    request = erase(cast.acme, customer)

    assert (request.state, request.failure) == ("certified", ""), str(request.evidence)
    assert len(request.evidence["found"]) >= 15


def test_erasing_somebody_who_is_gone_is_a_success(cast):
    request = ask(cast.acme, cast.carol)
    with cast.acme.scope():
        Customer.objects.filter(pk=cast.carol.pk).delete()

    assert carry_on(cast.acme, request).state == ErasureState.CERTIFIED


def test_the_database_refuses_what_the_table_does_not_allow(cast):
    request = ask(cast.acme, cast.carol)
    wrong = [
        (before, after)
        for before in ErasureState.values
        for after in ErasureState.values
        if before != after and after not in ERASURE_TRANSITIONS[before]
    ]
    with psycopg.connect(superuser_url(), autocommit=True) as superuser:
        superuser.execute(
            "UPDATE conversations_erasurerequest SET subject_id = NULL, reason = '',"
            " certificate_id = id WHERE id = %s", [request.id]
        )  # fmt: skip
        accepted = [pair for pair in wrong if _moves(superuser, request.id, *pair)]
    assert len(wrong) > 100
    assert accepted == []


def _moves(superuser: psycopg.Connection, request_id, before: str, after: str) -> bool:
    update = "UPDATE conversations_erasurerequest SET state = %s WHERE id = %s"
    superuser.execute("SET session_replication_role = replica")  # the guard is asked only below
    superuser.execute(update, [before, request_id])
    superuser.execute("SET session_replication_role = origin")
    try:
        superuser.execute(update, [after, request_id])
    except psycopg.errors.CheckViolation:
        return False
    return True
