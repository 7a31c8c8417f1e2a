from conversations.models.attachment import REMOVED_NAME, Attachment, AttachmentBody
from conversations.models.certificate import Certificate, SigningKey
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
from conversations.models.erasure import (
    ENDED,
    ERASURE_TRANSITIONS,
    ErasureRequest,
    ErasureState,
    RedactionNotice,
    RedactionTarget,
    Tombstone,
)
from conversations.models.expiring import EndingModel, ExpiringModel
from conversations.models.export import ExportPart, ExportRequest
from conversations.models.holds import LegalHold
from conversations.models.merge import CustomerMerge
from conversations.models.message import Event, Message, MessageEdit, MessageRole, Note
from conversations.models.retention import Kind, RetentionPolicy, RetentionRound, RetentionRun
from conversations.models.summary import Summary
from conversations.models.tenant_end import TenantEnd

__all__ = [
    "ENDED",
    "ERASURE_TRANSITIONS",
    "REMOVED_NAME",
    "Attachment",
    "AttachmentBody",
    "Author",
    "CannedReply",
    "Certificate",
    "Channel",
    "Conversation",
    "ConversationLabel",
    "Customer",
    "CustomerIdentity",
    "CustomerMerge",
    "Draft",
    "EndingModel",
    "ErasureRequest",
    "ErasureState",
    "Event",
    "ExpiringModel",
    "ExportPart",
    "ExportRequest",
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
    "RedactionNotice",
    "RedactionTarget",
    "RetentionPolicy",
    "RetentionRound",
    "RetentionRun",
    "SigningKey",
    "Status",
    "Summary",
    "TenantEnd",
    "Tombstone",
    "WidgetToken",
]
