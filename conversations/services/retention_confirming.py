"""The second person for a run of retention that waits."""

from django.db import transaction

from conversations.models import RetentionPolicy, RetentionRun
from conversations.services.retention import SamePerson
from conversations.services.retention_rounds import restart
from conversations.services.retention_weighing import allowance
from tenants.errors import Conflict
from tenants.models import Member
from tenants.services.audit import record


class RunNotWaiting(Conflict):
    """Confirmed already, or there is nothing to confirm any more."""

    code = "run_not_waiting"
    detail = "This run does not wait for anybody any more. Load the page again."


@transaction.atomic
def confirm_run(run: RetentionRun, *, by: Member) -> RetentionRun:
    """It goes on now, and runs of its policy may take twice as much from now on.

    Raises `SamePerson` for who made the policy.
    """
    row = RetentionRun.objects.select_for_update().get(pk=run.pk)
    if row.held_back_at is None:
        raise RunNotWaiting
    made = RetentionPolicy.objects.filter(made_by=by)
    if row.policy_id is not None and made.filter(pk=row.policy_id).exists():
        raise SamePerson
    row.held_back_at, row.allowed, row.confirmed_by = None, allowance(row.due), by
    row.save(update_fields=["held_back_at", "allowed", "confirmed_by"])
    record("retention_run_confirmed", by=by, target=row, detail={"due": row.due})
    restart()
    return row
