"""Logs go by a policy of their own: what nothing needs any more, and not a row beside it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Turn
from conversations.models import (
    Conversation,
    Customer,
    CustomerMerge,
    ExportRequest,
    Kind,
    Message,
    RetentionRun,
    WidgetToken,
)
from conversations.selectors.retention import preview
from conversations.selectors.retention_law import Rule
from conversations.services import holds, retention
from conversations.services.retention import PolicySettings
from tenants.errors import InvalidInput
from tenants.models import AuditEntry, Invitation, WidgetKey
from tests.privacy.policies import policy, whole_round
from tests.privacy.rows import full_talk
from tests.support.console import start

DAY = timedelta(days=1)
OLD, YOUNG = 31 * DAY, 29 * DAY


@pytest.fixture
def petra(cast):
    return cast.acme.petra.member


def logs_of(name: str, *, age: timedelta, by) -> Customer:
    """A customer, still here, with one row in every log that ended so long ago."""
    then = timezone.now() - age
    one = Customer.objects.create(name=name, last_seen_at=timezone.now())
    other = Customer.objects.create(name=f"{name} twice", last_seen_at=timezone.now())
    WidgetToken.objects.create(
        customer=one,
        widget_key=WidgetKey.objects.get(active=True),
        token_hash=one.id.bytes,
        expires_at=then,
    )
    ExportRequest.objects.create(customer=one, kind="customer", state="ended", by_kind="member")
    ExportRequest.objects.filter(customer=one).update(created_at=then)
    CustomerMerge.objects.create(kind="split", source=one, target=other, undo_until=then)
    Invitation.objects.create(
        email=f"{name}@example.org", token_hash=one.id.bytes, invited_by=by, expires_at=then
    )
    talk = start(one, f"I am {name}")
    Turn.objects.filter(conversation=talk).update(
        state="failed", finished_at=then, error_code="provider", error_detail=f"bad: I am {name}"
    )
    return one


def left(one: Customer) -> dict[str, int]:
    return {
        "sessions": WidgetToken.objects.filter(customer=one).count(),
        "exports": ExportRequest.objects.filter(customer=one).count(),
        "merges": CustomerMerge.objects.filter(source=one).count(),
        "invitations": Invitation.objects.filter(email=f"{one.name}@example.org").count(),
        "errors": Turn.objects.filter(conversation__customer=one).exclude(error_detail="").count(),
    }


ALL = dict.fromkeys(("sessions", "exports", "merges", "invitations", "errors"), 1)


def test_what_is_old_goes_and_nothing_beside_it(cast, petra):
    with cast.acme.scope():
        old, young = (
            logs_of(name, age=age, by=petra) for name, age in (("old", OLD), ("young", YOUNG))
        )
        audit = AuditEntry.objects.count()
        rule = policy(petra, 30, kind=Kind.LOGS)
        whole_round()
        assert left(old) == dict.fromkeys(ALL, 0)
        assert left(young) == ALL
        assert Customer.objects.filter(pk=old.pk).exists()
        assert Message.objects.filter(text="I am old").count() == 1
        turn = Turn.objects.get(conversation__customer=old)
        assert (turn.state, turn.error_code) == ("failed", "provider")
        assert AuditEntry.objects.count() == audit + 1
        run = RetentionRun.objects.get()
        assert (run.policy_id, run.rows) == (rule.id, 5)
        assert set(run.counts) == {
            "ended sessions", "records of exports", "merges beyond undoing",
            "past invitations", "error texts",
        }  # fmt: skip
        whole_round()
        assert RetentionRun.objects.count() == 1
        assert left(young) == ALL


def test_what_is_still_in_use_has_no_age(cast, petra):
    with cast.acme.scope():
        one = logs_of("one", age=OLD, by=petra)
        WidgetToken.objects.update(expires_at=timezone.now() + DAY, created_at=timezone.now() - OLD)
        ExportRequest.objects.update(state="ready", expires_at=timezone.now() + DAY)
        CustomerMerge.objects.update(undo_until=timezone.now() + DAY)
        Invitation.objects.update(expires_at=timezone.now() + DAY)
        Turn.objects.update(finished_at=timezone.now())
        policy(petra, 30, kind=Kind.LOGS)
        whole_round()
        assert left(one) == ALL


def test_a_hold_keeps_the_logs_of_whom_it_is_on(cast, petra):
    with cast.acme.scope():
        held, free = (logs_of(name, age=OLD, by=petra) for name in ("held", "free"))
        holds.place(held, reason="Case 12", by=petra)
        policy(petra, 30, kind=Kind.LOGS)
        whole_round()
        assert left(held) == ALL | {"invitations": 0}
        assert left(free) == dict.fromkeys(ALL, 0)


def test_the_preview_counts_what_goes_and_takes_nothing(cast, petra):
    with cast.acme.scope():
        one = logs_of("one", age=OLD, by=petra)
        found = preview(Rule(30), Kind.LOGS, member=petra)
        assert (found.rows, sum(found.counts.values()), found.large) == (5, 5, False)
        assert left(one) == ALL
        with pytest.raises(InvalidInput):
            retention.make_policy(
                PolicySettings("Logs", 30, kind=Kind.LOGS, channel="widget"), by=petra
            )


def test_many_go_in_batches_and_a_large_part_waits(cast, petra):
    with cast.acme.scope():
        policy(petra, 30, kind=Kind.LOGS)
        logs_of("one", age=OLD, by=petra)
        token = WidgetToken.objects.get()
        WidgetToken.objects.bulk_create(
            WidgetToken(
                customer_id=token.customer_id,
                widget_key_id=token.widget_key_id,
                token_hash=number.to_bytes(32),
                expires_at=token.expires_at,
            )
            for number in range(2500)
        )
        whole_round()
        assert WidgetToken.objects.count() == 2501
        run = RetentionRun.objects.get(held_back_at__isnull=False)
        assert run.due == 2505
        RetentionRun.objects.update(held_back_at=None, allowed=3000)
        with CaptureQueriesContext(connection) as said:
            whole_round()
        assert WidgetToken.objects.count() == 0
        takes = [q for q in said.captured_queries if "FROM conversations_widgettoken t" in q["sql"]]
        assert len(takes) == 3


def test_no_policy_takes_no_logs(cast, petra):
    with cast.acme.scope():
        one = logs_of("one", age=400 * DAY, by=petra)
        policy(petra, 30)
        whole_round()
        assert left(one) == ALL


def test_every_table_of_a_talk_outlives_the_logs(cast, petra):
    with cast.acme.scope():
        talk = full_talk()
        policy(petra, 1, kind=Kind.LOGS)
        whole_round()
        assert Conversation.objects.filter(pk=talk.pk).exists()
