"""What is under legal hold, and by which holds."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from conversations.models import Conversation, ConversationLabel, Customer, Label, LegalHold
from conversations.models.holds import IN_FORCE
from conversations.selectors.customers import behind

_Scope = LegalHold.Scope


def in_force() -> QuerySet[LegalHold]:
    """Holds that keep something now: not released, or released less than a week ago."""
    return LegalHold.objects.filter(IN_FORCE)


def holds_over(
    *, customer: UUID | None = None, conversations: Collection[UUID] | None = None
) -> list[LegalHold]:
    """The holds in force over a customer, or over any of these conversations; oldest first.

    For a customer: holds on the customer and on any conversation of theirs. Only an answer that was
    asked for under the lock of the rows (as purging does) cannot be outrun by a new hold.
    """
    talks = Conversation.stored.none()
    if customer is not None:
        talks = Conversation.stored.filter(customer=customer)
    elif conversations is not None:
        talks = Conversation.stored.filter(pk__in=list(conversations))
    labels = ConversationLabel.objects.filter(conversation__in=talks.values("pk"))
    over = (
        Q(scope=_Scope.CONVERSATION, subject_id__in=talks.values("pk"))
        | Q(scope=_Scope.LABEL, subject_id__in=labels.values("label"))
        | Q(scope=_Scope.CUSTOMER, subject_id__in=talks.values("customer"))
    )
    if customer is not None:
        over |= Q(scope=_Scope.CUSTOMER, subject_id=customer)
    return list(in_force().filter(over).order_by("created_at", "id"))


def held(conversation_ids: Collection[UUID]) -> set[UUID]:
    """Those of the conversations that are under hold; two statements, one where nothing is."""
    if not in_force().exists():
        return set()
    rows = Conversation.stored.filter(IS_HELD, pk__in=list(conversation_ids))
    return set(rows.values_list("pk", flat=True))


def covered(hold: LegalHold) -> QuerySet[Conversation]:
    """The conversations that a hold keeps; those that come later too."""
    rows = Conversation.stored.all()
    if hold.scope == _Scope.CONVERSATION:
        return rows.filter(pk=hold.subject_id)
    if hold.scope == _Scope.CUSTOMER:
        return rows.filter(customer=hold.subject_id)
    links = ConversationLabel.objects.filter(label=hold.subject_id, conversation=OuterRef("pk"))
    return rows.filter(Exists(links))


def _on(scope: str, column: str) -> Exists:
    holds = LegalHold.raw.filter(IN_FORCE, tenant=OuterRef("tenant"), scope=scope)
    return Exists(holds.filter(subject_id=OuterRef(column)))


_LABELLED = ConversationLabel.raw.filter(tenant=OuterRef("tenant"), conversation=OuterRef("pk"))

# Of a conversation: whether any hold in force covers it.
IS_HELD = (
    Q(_on(_Scope.CONVERSATION, "pk"))
    | Q(_on(_Scope.CUSTOMER, "customer"))
    | Q(Exists(_LABELLED.filter(_on(_Scope.LABEL, "label"))))
)


def holds(*, after: tuple[datetime, UUID] | None = None, limit: int = 200) -> list[LegalHold]:
    """The tenant's holds, the newest first, by keyset."""
    rows = LegalHold.objects.select_related("placed_by__user", "released_by__user")
    if after is not None:
        rows = rows.filter(behind("created_at", after))
    return list(rows.order_by("-created_at", "-id")[:limit])


def subject_names(found: Collection[LegalHold]) -> dict[UUID, str]:
    """What each hold is on, as members know it; three statements. Nothing for what is gone."""
    ids = [hold.subject_id for hold in found]
    customers = Customer.objects.filter(pk__in=ids).values_list("pk", "name", "email")
    talks = Conversation.objects.filter(pk__in=ids).values_list("pk", "title")
    return {
        **{pk: name or email or str(pk) for pk, name, email in customers},
        **{pk: title or str(pk) for pk, title in talks},
        **dict(Label.objects.filter(pk__in=ids).values_list("pk", "name")),
    }


def ending() -> list[LegalHold]:
    """Holds that were released and go on for a few days, the first to end first."""
    return list(in_force().filter(ends_at__isnull=False).order_by("ends_at"))
