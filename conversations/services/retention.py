"""Retention policies: made, seconded, started, ended. What keeps less than before waits."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from conversations.models import Channel, Kind, Label, RetentionPolicy, Status
from conversations.selectors.retention import Preview, measure
from conversations.selectors.retention_law import Rule, rule_of
from conversations.services.retention_rounds import restart
from tenants import due
from tenants.errors import Conflict, InvalidInput
from tenants.models import Member
from tenants.services.audit import job, record
from tenants.text import clean_text

START = due.kind("retention_start", queue="bulk")

WAIT = timedelta(hours=24)
# Whoever would take more rows than this asks a second person.
SECOND_PERSON_ROWS = 10_000
NAME_LIMIT, DAYS_LIMIT = 80, 36_500

# What belongs to no conversation has no status, channel or label.
OF_NO_TALK = frozenset({Kind.CUSTOMERS, Kind.LOGS})
_NO_CONDITION = "Only what belongs to a conversation has this. Leave it empty for this kind."

_State = RetentionPolicy.State
_ADOPTED = ["rows", "pieces", "needs_second", "approved_by", "approved_at", "starts_at"]


class SamePerson(Conflict):
    """The second person must be another one."""

    code = "second_person_required"
    title = "Another teammate must confirm this"
    detail = "You have made this policy yourself. Ask another owner or privacy officer."


class NotWaiting(Conflict):
    """Decided already."""

    code = "policy_not_waiting"
    detail = "This policy does not wait for anybody any more. Load the page again."


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """What a policy says, as it was asked for."""

    name: str
    days: int
    kind: str = Kind.MESSAGES
    status: str = ""
    channel: str = ""
    label: Label | None = None
    replaces: RetentionPolicy | None = None

    @property
    def rule(self) -> Rule:
        label = self.label.id if self.label else None
        return Rule(self.days, None, self.status, self.channel, label)


@transaction.atomic
def make_policy(asked: PolicySettings, *, by: Member) -> RetentionPolicy:
    """A new policy, or one in the place of another.

    It waits for a day, and for a second person when it would take more than 10,000 rows or a large
    part of the tenant; a policy that keeps more than the one it replaces starts at once.
    """
    _check(asked)
    shorter = not _keeps_more(asked)
    found = measure(asked.rule, asked.kind) if shorter else Preview()
    policy = RetentionPolicy.objects.create(
        name=" ".join(clean_text(asked.name, limit=NAME_LIMIT).split()),
        kind=asked.kind,
        status=asked.status,
        channel=asked.channel,
        label=asked.label,
        days=asked.days,
        replaces=asked.replaces.id if asked.replaces else None,
        rows=found.rows,
        pieces=found.pieces,
        needs_second=_is_large(found),
        made_by=by,
        starts_at=timezone.now() + (WAIT if shorter else timedelta()),
    )
    record("retention_policy_made", by=by, target=policy, detail=_facts(policy))
    if shorter:
        due.schedule(START, policy.id, at=policy.starts_at)
    else:
        _activate(policy)
    return policy


@transaction.atomic
def second(policy: RetentionPolicy, *, by: Member) -> RetentionPolicy:
    """Another member confirms a large one; it starts when its day of waiting is over."""
    row = _lock(policy.id)
    if row.state != _State.WAITING or not row.waits_for_second:
        raise NotWaiting
    if row.made_by_id == by.id:
        raise SamePerson
    row.approved_by, row.approved_at = by, timezone.now()
    row.save(update_fields=["approved_by", "approved_at"])
    record("retention_policy_seconded", by=by, target=row, detail=_facts(row))
    due.schedule(START, row.id, at=max(row.starts_at, timezone.now()))
    return row


@transaction.atomic
def start(policy_id: UUID) -> None:
    """The day is over: from now on the policy hides, and soon it purges. Idempotent."""
    row = _lock(policy_id)
    if row.state == _State.WAITING and not row.waits_for_second and row.starts_at <= timezone.now():
        _activate(row)


@transaction.atomic
def end(policy: RetentionPolicy, *, by: Member) -> RetentionPolicy:
    """It takes nothing any more, and what it has hidden is seen again. Idempotent."""
    row = _lock(policy.id)
    if row.state != _State.ENDED:
        _end(row)
        due.cancel(START, row.id)
        restart()
        record("retention_policy_ended", by=by, target=row, detail=_facts(row))
    return row


@transaction.atomic
def adopt() -> None:
    """Policies that came with an import are new here: each waits as one that was made just now.

    What they took at home has stayed there, but the copy may be old. Idempotent.
    """
    waiting = RetentionPolicy.objects.select_for_update().filter(state=_State.WAITING)
    for row in waiting:
        found = measure(rule_of(row), row.kind)
        row.rows, row.pieces, row.needs_second = found.rows, found.pieces, _is_large(found)
        row.approved_by, row.approved_at = None, None
        row.starts_at = timezone.now() + WAIT
        row.save(update_fields=_ADOPTED)
        record("retention_policy_adopted", by=job("import"), target=row, detail=_facts(row))
        due.schedule(START, row.id, at=row.starts_at)
    restart()


def _is_large(found: Preview) -> bool:
    return found.rows > SECOND_PERSON_ROWS or found.large


def _activate(row: RetentionPolicy) -> None:
    row.state = _State.ACTIVE
    row.save(update_fields=["state"])
    if row.replaces:
        for old in RetentionPolicy.objects.filter(pk=row.replaces).exclude(state=_State.ENDED):
            _end(old)
    restart()


def _end(row: RetentionPolicy) -> None:
    row.state, row.ended_at = _State.ENDED, timezone.now()
    row.save(update_fields=["state", "ended_at"])


def _lock(policy_id: UUID) -> RetentionPolicy:
    return RetentionPolicy.objects.select_for_update().get(pk=policy_id)


def _keeps_more(asked: PolicySettings) -> bool:
    """Whether it keeps all that the one in force keeps, for as long at least."""
    old = asked.replaces
    if old is None or old.state != _State.ACTIVE:
        return False
    before = (old.kind, old.status, old.channel, old.label_id)
    after = (asked.kind, asked.status, asked.channel, asked.label.id if asked.label else None)
    return before == after and asked.days >= old.days


def _check(asked: PolicySettings) -> None:
    errors: dict[str, list[str]] = {}
    if not asked.name.strip():
        errors["name"] = ["Give the policy a name: reports are made in it."]
    if not 1 <= asked.days <= DAYS_LIMIT:
        errors["days"] = [f"Choose between 1 and {DAYS_LIMIT:,} days."]
    for field, choices in {"kind": Kind, "status": Status, "channel": Channel}.items():
        value = getattr(asked, field)
        if value not in choices.values and (value or field == "kind"):
            errors[field] = [f"Choose one of: {', '.join(choices.values)}."]
    if asked.kind in OF_NO_TALK:
        conditions = ("status", "channel", "label")
        errors |= {name: [_NO_CONDITION] for name in conditions if getattr(asked, name)}
    if errors:
        raise InvalidInput(errors=errors)


def _facts(row: RetentionPolicy) -> dict[str, object]:
    return {
        "kind": row.kind,
        "days": row.days,
        "status": row.status,
        "channel": row.channel,
        "label": str(row.label_id) if row.label_id else None,
        "replaces": str(row.replaces) if row.replaces else None,
        "rows": row.rows,
    }
