from conversations.models.certificate import Certificate, SigningKey
from conversations.models.conversation import (
    Author,
    Conversation,
    ConversationLabel,
    FunnelStage,
    Handler,
    Label,
    Status,
)
from conversations.models.customer import Customer, CustomerIdentity, WidgetToken
from conversations.models.desk import CannedReply, Draft, Rating
from conversations.models.message import Event, Message, MessageEdit, MessageRole, Note

__all__ = [
    "Author",
    "CannedReply",
    "Certificate",
    "Conversation",
    "ConversationLabel",
    "Customer",
    "CustomerIdentity",
    "Draft",
    "Event",
    "FunnelStage",
    "Handler",
    "Label",
    "Message",
    "MessageEdit",
    "MessageRole",
    "Note",
    "Rating",
    "SigningKey",
    "Status",
    "WidgetToken",
]
