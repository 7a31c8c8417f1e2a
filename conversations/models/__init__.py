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
from conversations.models.erasure import (
    ENDED,
    ERASURE_TRANSITIONS,
    ErasureRequest,
    ErasureState,
    RedactionNotice,
    RedactionTarget,
    Tombstone,
)
from conversations.models.message import Event, Message, MessageEdit, MessageRole, Note

__all__ = [
    "ENDED",
    "ERASURE_TRANSITIONS",
    "Author",
    "CannedReply",
    "Certificate",
    "Conversation",
    "ConversationLabel",
    "Customer",
    "CustomerIdentity",
    "Draft",
    "ErasureRequest",
    "ErasureState",
    "Event",
    "FunnelStage",
    "Handler",
    "Label",
    "Message",
    "MessageEdit",
    "MessageRole",
    "Note",
    "Rating",
    "RedactionNotice",
    "RedactionTarget",
    "SigningKey",
    "Status",
    "Tombstone",
    "WidgetToken",
]
