"""The inbox: which talks a member may see, a page of them, and the numbers on the tabs.

List, page, search, counters and streams all start from `visible_to`: what is listed can be opened,
and what can be opened is listed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from conversations.models import Conversation, ConversationLabel, Status
from tenants.errors import InvalidInput
from tenants.models import Member
from tenants.permissions import Permission, may
from tenants.scoping import current_tenant_id

# A badge stops counting here ("999+"): exact counts of a large inbox cost 100 ms.
COUNT_CAP = 1000
TABS = ("mine", "unassigned", "agent", "all")


# "active" is open or snoozed, the inbox's default view.
ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Filters:
    """What the list is narrowed to; empty means no narrowing."""

    status: str = ""
    handler: str = ""
    assignee: str = ""  # a member's id, "me" or "none"
    stage: str = ""
    label: str = ""
    customer: str = ""
    q: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """A sort of the inbox: the column, its direction, and the rows that have a place in it."""

    column: str
    descending: bool
    only: Q

    @property
    def by(self) -> list[str]:
        sign = "-" if self.descending else ""
        return [f"{sign}{self.column}", f"{sign}id"]

    def after(self, value: datetime, row_id: UUID) -> Q:
        """The rows behind a place: a keyset, since OFFSET reads all that it skips."""
        beyond = "lt" if self.descending else "gt"
        return Q(**{f"{self.column}__{beyond}": value}) | Q(
            **{self.column: value, f"id__{beyond}": row_id}
        )


ORDERS: Mapping[str, Order] = {
    "last_message": Order(
        "last_message_at", descending=True, only=Q(last_message_at__isnull=False)
    ),
    "waiting": Order("waiting_since", descending=False, only=Q(waiting_since__isnull=False)),
    "created": Order("created_at", descending=True, only=Q()),
}


def visible_to(member: Member) -> QuerySet[Conversation]:
    """The talks that this member may read."""
    if not may(member, Permission.READ):
        return Conversation.objects.none()
    return Conversation.objects.all()


def inbox(
    member: Member,
    filters: Filters,
    *,
    sort: str = "last_message",
    after: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[Conversation]:
    """A page of the inbox in one statement, with customer, assignee and stage on each row."""
    order = ORDERS[sort]
    rows = _filtered(visible_to(member), member, filters).filter(order.only)
    if after is not None:
        rows = rows.filter(order.after(*after))
    related = rows.select_related("customer", "assignee__user", "stage")
    return list(related.order_by(*order.by)[:limit])


# One statement for all four; each stops at the cap and walks an index of its own.
_COUNTS = """
SELECT
  (SELECT count(*) FROM (SELECT 1 FROM conversations_conversation WHERE tenant_id = %(tenant)s
     AND status IN ('open', 'snoozed') AND assignee_id = %(member)s LIMIT %(cap)s) a),
  (SELECT count(*) FROM (SELECT 1 FROM conversations_conversation WHERE tenant_id = %(tenant)s
     AND status IN ('open', 'snoozed') AND handler = 'team' AND assignee_id IS NULL
     LIMIT %(cap)s) b),
  (SELECT count(*) FROM (SELECT 1 FROM conversations_conversation WHERE tenant_id = %(tenant)s
     AND status IN ('open', 'snoozed') AND handler = 'agent' LIMIT %(cap)s) c),
  (SELECT count(*) FROM (SELECT 1 FROM conversations_conversation WHERE tenant_id = %(tenant)s
     AND status IN ('open', 'snoozed') LIMIT %(cap)s) d)
"""


def counts(member: Member) -> dict[str, int]:
    """How many talks, open or snoozed, stand behind each tab; counting stops at `COUNT_CAP`."""
    if not may(member, Permission.READ):
        return dict.fromkeys(TABS, 0)
    with connection.cursor() as cursor:
        cursor.execute(
            _COUNTS, {"tenant": current_tenant_id(), "member": member.id, "cap": COUNT_CAP}
        )
        return dict(zip(TABS, cursor.fetchone(), strict=True))


def _filtered(
    rows: QuerySet[Conversation], member: Member, filters: Filters
) -> QuerySet[Conversation]:
    if filters.status == ACTIVE:
        rows = rows.filter(status__in=[Status.OPEN, Status.SNOOZED])
    elif filters.status:
        rows = rows.filter(status=filters.status)
    if filters.handler:
        rows = rows.filter(handler=filters.handler)
    if filters.assignee:
        rows = rows.filter(assignee=_assignee(member, filters.assignee))
    if filters.stage:
        rows = rows.filter(stage__name=filters.stage)
    if filters.customer:
        rows = rows.filter(customer=_uuid("customer", filters.customer))
    if filters.label:
        links = ConversationLabel.objects.filter(label__name=filters.label)
        rows = rows.filter(pk__in=links.values("conversation"))
    return rows.filter(_matches(filters.q)) if filters.q else rows


def _assignee(member: Member, value: str) -> UUID | None:
    if value == "none":
        return None
    return member.id if value == "me" else _uuid("assignee", value)


def _uuid(field: str, value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise InvalidInput(errors={field: ["This is not an id."]}) from error


def _matches(words: str) -> Q:
    """Every word somewhere in title, preview, or the customer's name or address."""
    found = Q()
    for word in words.split()[:8]:
        found &= (
            Q(title__icontains=word)
            | Q(last_message_preview__icontains=word)
            | Q(customer__name__icontains=word)
            | Q(customer__email__icontains=word)
        )
    return found
