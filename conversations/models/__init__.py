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
from conversations.models.export import ExportPart, ExportRequest
from conversations.models.merge import CustomerMerge
from conversations.models.message import Event, Message, MessageEdit, MessageRole, Note
from conversations.models.tenant_end import TenantEnd

__all__ = [
    "Author",
    "CannedReply",
    "Conversation",
    "ConversationLabel",
    "Customer",
    "CustomerIdentity",
    "CustomerMerge",
    "Draft",
    "Event",
    "ExportPart",
    "ExportRequest",
    "FunnelStage",
    "Handler",
    "Label",
    "Message",
    "MessageEdit",
    "MessageRole",
    "Note",
    "Rating",
    "Status",
    "TenantEnd",
    "WidgetToken",
]
