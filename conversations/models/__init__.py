from conversations.models.conversation import (
    Author,
    Channel,
    Conversation,
    ConversationLabel,
    FunnelStage,
    Handler,
    Label,
    Status,
)
from conversations.models.customer import Customer, CustomerIdentity, WidgetToken
from conversations.models.desk import CannedReply, Draft, Rating
from conversations.models.expiring import EndingModel, ExpiringModel
from conversations.models.holds import LegalHold
from conversations.models.message import Event, Message, MessageEdit, MessageRole, Note
from conversations.models.retention import Kind, RetentionPolicy, RetentionRound, RetentionRun

__all__ = [
    "Author",
    "CannedReply",
    "Channel",
    "Conversation",
    "ConversationLabel",
    "Customer",
    "CustomerIdentity",
    "Draft",
    "EndingModel",
    "Event",
    "ExpiringModel",
    "FunnelStage",
    "Handler",
    "Kind",
    "Label",
    "LegalHold",
    "Message",
    "MessageEdit",
    "MessageRole",
    "Note",
    "Rating",
    "RetentionPolicy",
    "RetentionRound",
    "RetentionRun",
    "Status",
    "WidgetToken",
]
