"""Reports of what policies took: one open report a policy and round, counts only."""

from uuid import UUID

from conversations.models import RetentionRun
from conversations.selectors.retention import policy_name


def report(policy_id: UUID | None, counts: dict[str, int]) -> None:
    """Add to the open report of the policy, in the transaction that took the rows."""
    if not counts:
        return
    name, days = policy_name(policy_id)
    run, _ = RetentionRun.objects.select_for_update().get_or_create(
        policy_id=policy_id, finished_at=None, defaults={"name": name, "days": days}
    )
    for store, count in counts.items():
        run.counts[store] = run.counts.get(store, 0) + count
    run.rows += sum(counts.values())
    run.save(update_fields=["counts", "rows"])
