"""What stands beside a talk: its labels, its customer's other talks, what a member may choose."""

from conversations.models import Attachment, Conversation, ConversationLabel, FunnelStage, Label
from conversations.selectors.inbox import visible_to
from tenants.models import Member
from tenants.permissions import Permission, may
from tenants.selectors.teams import teammates

OTHER_TALKS = 10
FILES = 50


def label_names(conversation: Conversation) -> set[str]:
    """The labels on a talk."""
    links = ConversationLabel.objects.filter(conversation=conversation)
    return set(links.values_list("label__name", flat=True))


def all_label_names() -> list[str]:
    """The tenant's labels, by name."""
    return list(Label.objects.order_by("name").values_list("name", flat=True))


def stages() -> list[FunnelStage]:
    """The tenant's funnel, in order."""
    return list(FunnelStage.objects.order_by("position"))


def other_talks(member: Member, conversation: Conversation) -> list[Conversation]:
    """The newest other talks of the same customer that the member may open."""
    mine = visible_to(member).filter(customer=conversation.customer_id)
    return list(mine.exclude(pk=conversation.pk).order_by("-last_message_at", "-id")[:OTHER_TALKS])


def files_in(conversation: Conversation) -> list[Attachment]:
    """The newest files of a talk, with who sent them if it was a member."""
    rows = Attachment.objects.filter(conversation=conversation).select_related("member__user")
    return list(rows.order_by("-seq", "-id")[:FILES])


def answering_teammates() -> list[Member]:
    """Whom a talk can be assigned to: those who may answer it."""
    return [member for member in teammates() if may(member, Permission.REPLY)]
