"""A legal hold beats everything: by lock, by trigger, and for a week after its release."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from conversations.models import (
    Conversation,
    ConversationLabel,
    Customer,
    Label,
    LegalHold,
    Message,
)
from conversations.selectors.holds import holds_over
from conversations.services import details, holds
from conversations.services.purging import purge_conversations, purge_customer
from tenants.models import AuditEntry
from tests.privacy.rows import full_talk, rows_of


@pytest.fixture
def vip(cast) -> Label:
    with cast.acme.scope():
        return Label.objects.create(name="VIP")


def _subjects(cast, talk, vip):
    ConversationLabel.objects.create(conversation=talk, label=vip)
    return {"customer": cast.carol, "conversation": talk, "label": vip}


@pytest.mark.parametrize("scope", ["customer", "conversation", "label"])
def test_what_is_held_is_not_purged_and_its_neighbour_is(cast, talk, vip, scope):
    with cast.acme.scope():
        subject = _subjects(cast, talk, vip)[scope]
        other = full_talk()
        held_rows = rows_of(talk.id)
        hold = holds.place(subject, reason="Case 12", by=cast.acme.petra.member)
        done = purge_conversations([talk.id, other.id])
        assert (done.held, done.finished) == ((talk.id,), True)
        assert rows_of(talk.id) == held_rows
        assert set(rows_of(other.id).values()) == {0}
        assert holds_over(conversations=[talk.id]) == [hold]
        assert hold in holds_over(customer=cast.carol.id)
        assert not purge_customer(cast.carol.id).finished
        assert Customer.objects.filter(pk=cast.carol.id).exists()


@pytest.mark.parametrize("scope", ["customer", "conversation", "label"])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM conversations_message WHERE conversation_id = %(talk)s",
        "DELETE FROM conversations_event WHERE conversation_id = %(talk)s",
        "DELETE FROM conversations_conversation WHERE id = %(talk)s",
        "DELETE FROM agents_turn WHERE conversation_id = %(talk)s",
        "DELETE FROM conversations_customer WHERE id = %(customer)s",
    ],
)
def test_the_database_refuses_whoever_forgot_to_ask(cast, vip, scope, statement):
    with cast.acme.scope():
        talk = full_talk()
        subjects = _subjects(cast, talk, vip) | {"customer": talk.customer}
        holds.place(subjects[scope], reason="Case 12", by=cast.acme.petra.member)
        before = rows_of(talk.id)
        values = {"talk": talk.id, "customer": talk.customer_id}
        with pytest.raises(IntegrityError, match="legal hold"), transaction.atomic():
            connection.cursor().execute(statement, values)
        assert rows_of(talk.id) == before


def test_a_held_label_stays_on_and_others_may_go(cast, talk, vip):
    with cast.acme.scope():
        Label.objects.create(name="Refund")
        details.set_labels(talk, names=["VIP", "Refund"], by=cast.acme.bob.member)
        holds.place(vip, reason="Case 12", by=cast.acme.petra.member)
        details.set_labels(talk, names=["VIP"], by=cast.acme.bob.member)
        with pytest.raises(details.LabelIsHeld):
            details.set_labels(talk, names=[], by=cast.acme.bob.member)
        with pytest.raises(IntegrityError, match="legal hold"), transaction.atomic():
            vip.delete()


def test_a_release_keeps_for_seven_days_more(cast, talk):
    with cast.acme.scope():
        hold = holds.place(talk, reason="Case 12", by=cast.acme.petra.member)
        hold = holds.release(hold, by=cast.acme.olga.member)
        assert hold.released_at
        assert hold.ends_at == hold.released_at + timedelta(days=7)
        assert holds.release(hold, by=cast.acme.petra.member).ends_at == hold.ends_at
        assert purge_conversations([talk.id]).held == (talk.id,)
        week_ago = timezone.now() - timedelta(days=7, minutes=1)
        LegalHold.objects.update(released_at=week_ago, ends_at=week_ago + timedelta(days=7))
        assert purge_conversations([talk.id]).finished
        assert not Conversation.stored.filter(pk=talk.id).exists()
        acts = AuditEntry.objects.filter(action__startswith="legal_hold")
        assert acts.count() == 2
        assert not acts.filter(detail__icontains="Case 12").exists()


def test_signing_in_takes_no_talk_from_under_its_hold(cast, talk):
    with cast.acme.scope():
        holds.place(cast.carol, reason="Case 12", by=cast.acme.petra.member)
        known = Customer.objects.create(name="Carol at home")
        holds.carry(cast.carol, to=known)
        Conversation.objects.filter(pk=talk.pk).update(customer=known)
        assert purge_conversations([talk.id]).held == (talk.id,)
        assert Message.objects.filter(conversation=talk).exists()
