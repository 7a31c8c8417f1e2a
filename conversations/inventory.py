"""What the conversations' tables hold of people."""

from conversations.models import (
    CannedReply,
    Conversation,
    ConversationLabel,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    Draft,
    Event,
    ExportPart,
    ExportRequest,
    FunnelStage,
    Label,
    Message,
    MessageEdit,
    Note,
    Rating,
    TenantEnd,
    WidgetToken,
)
from tenants.personal_data import NOTHING, register

_WITH_CUSTOMER = "erasure of the customer, by key"
_WITH_CONVERSATION = "erasure of the customer or retention, with the conversation, by key"

register(FunnelStage, holds=NOTHING)
register(Label, holds=NOTHING)
register(ConversationLabel, holds=NOTHING, erased_by=_WITH_CONVERSATION)
register(CannedReply, holds=NOTHING)
register(
    Customer,
    holds="Name, address, language and attributes of a customer.",
    erased_by="erasure of the customer",
)
register(
    CustomerIdentity,
    holds="By which name the tenant's own server knows a customer.",
    erased_by=_WITH_CUSTOMER,
)
register(WidgetToken, holds="That a customer's browser has a session.", erased_by=_WITH_CUSTOMER)
register(
    Conversation,
    holds="Title, summary, dossier and preview of a talk.",
    erased_by="erasure of the customer or retention",
)
register(
    Message,
    holds="What was said, by whom, and what tools answered.",
    erased_by=_WITH_CONVERSATION,
)
register(MessageEdit, holds="What a message said before.", erased_by=_WITH_CONVERSATION)
register(Note, holds="What members remarked about a customer.", erased_by=_WITH_CONVERSATION)
register(Event, holds="Lines of the timeline, with members' names.", erased_by=_WITH_CONVERSATION)
register(Draft, holds="Unsent words of a member.", erased_by=_WITH_CONVERSATION)
register(Rating, holds="A customer's opinion and comment.", erased_by=_WITH_CONVERSATION)
register(
    CustomerMerge,
    holds="That two customers are one, and names of attributes.",
    erased_by=_WITH_CUSTOMER,
)
register(ExportRequest, holds="That a customer's data was copied.", erased_by=_WITH_CUSTOMER)
register(
    ExportPart,
    holds="A sealed copy of a customer's data or of a tenant's, for 72 hours.",
    erased_by="its 72 hours; erasure of the customer, whole tenants' copies included",
)
register(TenantEnd, holds=NOTHING)
