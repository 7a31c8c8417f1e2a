"""The inbox: which talks a member may see, a page of them, and the numbers on the tabs.

List, page, search, counters and streams all start from `visible_to`: what is listed can be opened,
and what can be opened is listed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from conversations.models import (
    Conversation,
    ConversationLabel,
    CustomerIdentity,
    Handler,
    Status,
)
from tenants.errors import InvalidInput
from tenants.models import Member
from tenants.permissions import Permission, may

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


OPEN_OR_SNOOZED = Filters(status=ACTIVE)


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
        """The rows behind a place: a keyset, since OFFSET reads all that it skips.

        The first condition says nothing new, but it is the one that an index can begin at.
        """
        beyond = "lt" if self.descending else "gt"
        tied = Q(**{self.column: value, f"id__{beyond}": row_id})
        from_here = Q(**{f"{self.column}__{beyond}e": value})
        return from_here & (Q(**{f"{self.column}__{beyond}": value}) | tied)


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


def with_people(rows: QuerySet[Conversation]) -> QuerySet[Conversation]:
    """Customer, assignee and stage at hand, and whether the customer's identity was proven."""
    proofs = CustomerIdentity.objects.filter(customer_id=OuterRef("customer_id"))
    related = rows.select_related("customer", "assignee__user", "stage")
    # The plugin takes the declaration on the model for a clash; it is the type of this very name.
    return related.annotate(identity_proven=Exists(proofs))  # type: ignore[no-redef]


def newest(limit: int) -> list[Conversation]:
    """For platform staff, who are no members: the talks of the open scope, newest first."""
    rows = Conversation.objects.order_by("-last_message_at", "-id")
    return list(rows.only("status", "handler", "message_count", "last_message_at")[:limit])


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
    rows = _listed(member, filters, order, _few_labelled(filters))
    if after is not None:
        rows = rows.filter(order.after(*after))
    return list(with_people(rows).order_by(*order.by)[:limit])


# Which talks stand behind each tab, whatever else the list is narrowed to.
_TAB_FILTERS: Mapping[str, Mapping[str, str]] = {
    "mine": {"handler": "", "assignee": "me"},
    "unassigned": {"handler": Handler.TEAM, "assignee": "none"},
    "agent": {"handler": Handler.AGENT, "assignee": ""},
    "all": {"handler": "", "assignee": ""},
}


def tab_filters(tab: str, filters: Filters) -> Filters:
    """The list of a tab: the same narrowing, and whose talks."""
    return replace(filters, **_TAB_FILTERS[tab])


def counts(
    member: Member, filters: Filters = OPEN_OR_SNOOZED, *, sort: str = "last_message"
) -> dict[str, int]:
    """How many talks stand behind each tab: the very rows that `inbox` lists there.

    One statement; each of its four counts stops at `COUNT_CAP`.
    """
    if not may(member, Permission.READ):
        return dict.fromkeys(TABS, 0)
    parts: list[str] = []
    parameters: list[Any] = []
    order, few = ORDERS[sort], _few_labelled(filters)
    for tab in TABS:
        # In the list's own order the planner walks the list's index and stops at the cap.
        rows = _listed(member, tab_filters(tab, filters), order, few).order_by(*order.by)
        sql, values = rows.values("pk")[:COUNT_CAP].query.sql_with_params()
        parts.append(f"(SELECT count(*) FROM ({sql}) AS {tab}_rows)")  # noqa: S608 - the ORM's SQL
        parameters += values
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(parts)}", parameters)
        return dict(zip(TABS, cursor.fetchone(), strict=True))


def _listed(
    member: Member, filters: Filters, order: Order, few: list[UUID] | None
) -> QuerySet[Conversation]:
    rows = _filtered(visible_to(member), member, filters).filter(order.only)
    return _labelled(rows, filters.label, few) if filters.label else rows


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
    return rows.filter(_matches(filters.q)) if filters.q else rows


# Up to so many talks a label is looked up first: the planner would walk the whole inbox for it.
RARE_LABEL = 500


def _few_labelled(filters: Filters) -> list[UUID] | None:
    """The talks with the label; None when they are many, or no label is asked for."""
    if not filters.label:
        return None
    links = ConversationLabel.objects.filter(label__name=filters.label)
    ids = list(links.values_list("conversation_id", flat=True)[: RARE_LABEL + 1])
    return ids if len(ids) <= RARE_LABEL else None


def _labelled(
    rows: QuerySet[Conversation], name: str, few: list[UUID] | None
) -> QuerySet[Conversation]:
    if few is not None:
        return rows.filter(pk__in=few)
    # Asked talk by talk in the list's order, which ends after a page. EXISTS would be made a join
    # with all that have the label, and that sorted.
    links = ConversationLabel.objects.filter(label__name=name, conversation=OuterRef("pk"))
    return rows.alias(link=Subquery(links.values("pk")[:1])).filter(link__isnull=False)


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
