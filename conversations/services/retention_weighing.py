"""Before a round deletes: a run that would take too much of the tenant at once waits for somebody.

What a script resolved or labelled by mistake ends by a policy that is right. It is hidden at once,
which can be undone, and deleted only after a second person has looked.
"""

from typing import Any
from uuid import UUID

import structlog
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from conversations.models import RetentionPolicy, RetentionRun
from conversations.selectors.retention import policy_name
from conversations.selectors.retention_size import allowed, ended
from tenants.services import audit

log = structlog.get_logger(__name__)

# What somebody confirmed may be twice as much by the time that it is taken.
_GROWTH = 2


def weigh() -> None:
    """Hold back each run that is large and not allowed; let go on what is not any more."""
    counts, large = ended()
    may = allowed(large)
    too_much = {policy for policy in large if counts[policy] > max(may[policy], _seconded(policy))}
    for run in RetentionRun.objects.select_for_update().filter(finished_at=None):
        if run.policy_id not in too_much and run.held_back_at is not None:
            RetentionRun.objects.filter(pk=run.pk).update(held_back_at=None)
    for policy in too_much:
        _hold_back(policy, due=counts[policy])


def allowance(due: int) -> int:
    """How much may be taken after somebody has confirmed so much."""
    return due * _GROWTH


def waiting() -> list[UUID | None]:
    """The policies whose open run waits; None is the platform's maximum."""
    runs = RetentionRun.objects.filter(finished_at=None, held_back_at__isnull=False)
    return list(runs.values_list("policy_id", flat=True))


def without_waiting(rows: "QuerySet[Any]") -> "QuerySet[Any]":
    """Of rows that have ended: those whose run does not wait."""
    policies = waiting()
    held = Q(expires_by__in=[policy for policy in policies if policy])
    if None in policies:
        held |= Q(expires_by__isnull=True)
    return rows.exclude(held) if policies else rows


def _seconded(policy_id: UUID | None) -> int:
    """The second person of a policy has seen how much it takes at first."""
    if policy_id is None:
        return 0
    rows = RetentionPolicy.objects.filter(pk=policy_id, approved_at__isnull=False)
    return allowance(rows.values_list("pieces", flat=True).first() or 0)


def _hold_back(policy_id: UUID | None, *, due: int) -> None:
    name, days = policy_name(policy_id)
    run, _ = RetentionRun.objects.select_for_update().get_or_create(
        policy_id=policy_id, finished_at=None, defaults={"name": name, "days": days}
    )
    news = run.held_back_at is None
    RetentionRun.objects.filter(pk=run.pk).update(
        due=due, **({"held_back_at": Now()} if news else {})
    )
    if news:
        audit.record(
            "retention_run_held_back", by=audit.job("retention"), target=run, detail={"due": due}
        )
        log.error("retention_run_held_back", run=str(run.pk), due=due)
