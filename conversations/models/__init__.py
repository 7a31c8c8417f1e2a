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
from conversations.models.summary import Summary

__all__ = [
    "Author",
    "CannedReply",
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
    "Status",
    "Summary",
    "WidgetToken",
]
