"""What the conversations' tables hold of people."""

from conversations.models import (
    CannedReply,
    Certificate,
    Conversation,
    ConversationLabel,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    Draft,
    ErasureRequest,
    Event,
    ExportPart,
    ExportRequest,
    FunnelStage,
    Label,
    LegalHold,
    Message,
    MessageEdit,
    Note,
    Rating,
    RedactionNotice,
    RedactionTarget,
    RetentionPolicy,
    RetentionRound,
    RetentionRun,
    SigningKey,
    Summary,
    TenantEnd,
    Tombstone,
    WidgetToken,
)
from tenants.personal_data import NOTHING, register

_WITH_CUSTOMER = "erasure of the customer or retention, with the customer"
_WITH_CONVERSATION = "erasure of the customer or retention, with the conversation, by key"

register(FunnelStage, holds=NOTHING)
register(Label, holds=NOTHING)
register(ConversationLabel, holds=NOTHING, erased_by=_WITH_CONVERSATION)
register(CannedReply, holds=NOTHING)
register(Certificate, holds=NOTHING)
register(SigningKey, holds=NOTHING)
register(
    Customer,
    holds="Name, address, language and attributes of a customer.",
    erased_by="erasure of the customer or retention",
)
register(
    CustomerIdentity,
    holds="By which name the tenant's own server knows a customer.",
    erased_by=_WITH_CUSTOMER,
)
_AS_LOG = "erasure of the customer or retention, with the customer; retention of logs before"
register(WidgetToken, holds="That a customer's browser has a session.", erased_by=_AS_LOG)
register(
    Conversation,
    holds="Title, stage and why, triage, dossier, summary and preview of a talk.",
    erased_by="erasure of the customer or retention",
)
register(
    Message,
    holds="What was said, by whom, and what tools answered.",
    erased_by=_WITH_CONVERSATION,
)
register(MessageEdit, holds="What a message said before.", erased_by=_WITH_CONVERSATION)
register(Summary, holds="What was said, in short.", erased_by=_WITH_CONVERSATION)
register(Note, holds="What members remarked about a customer.", erased_by=_WITH_CONVERSATION)
register(Event, holds="Lines of the timeline, with members' names.", erased_by=_WITH_CONVERSATION)
register(Draft, holds="Unsent words of a member.", erased_by=_WITH_CONVERSATION)
register(Rating, holds="A customer's opinion and comment.", erased_by=_WITH_CONVERSATION)
register(
    CustomerMerge,
    holds="That two customers are one, and names of attributes.",
    erased_by=_AS_LOG,
)
register(ExportRequest, holds="That a customer's data was copied.", erased_by=_AS_LOG)
register(
    ExportPart,
    holds="A sealed copy of a customer's data or of a tenant's, for 72 hours.",
    erased_by="its 72 hours; erasure of the customer, whole tenants' copies included",
)
register(TenantEnd, holds=NOTHING)
register(
    ErasureRequest,
    holds="While it runs: whose erasure it is, why, and by which words they would be found.",
    erased_by="the erasure itself, when it is certified: a pseudonym stays",
)
register(RedactionTarget, holds=NOTHING)
register(
    RedactionNotice,
    holds="Whom another system is to forget, encrypted, until its receipt.",
    erased_by="its receipt, or three days without one",
)
register(Tombstone, holds=NOTHING)
register(
    LegalHold,
    holds="Why a customer or a talk must be kept, in a member's words.",
    erased_by="kept as the record of the hold; deletion of the tenant, by key",
)
register(RetentionPolicy, holds=NOTHING)
register(RetentionRound, holds=NOTHING)
register(RetentionRun, holds=NOTHING)
