"""What the conversations' tables hold of people."""

from conversations.models import (
    Attachment,
    AttachmentBody,
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

_WITH_CUSTOMER = "Erasure of the customer, or retention, together with the profile."
_WITH_CONVERSATION = "Erasure of the customer, or retention, together with the conversation."
_AS_FILE = (
    "Erasure of the customer, or retention, together with the conversation; retention of files, or"
    " a teammate who removes one, before. What nobody sends goes after a day."
)
_AS_LOG = "Erasure of the customer, or retention, with the profile; retention of logs before."

register(FunnelStage, title="Stages", holds=NOTHING)
register(Label, title="Names of labels", holds=NOTHING)
register(
    ConversationLabel, title="Labels on conversations", holds=NOTHING, erased_by=_WITH_CONVERSATION
)
register(CannedReply, title="Canned replies", holds=NOTHING)
register(Certificate, title="Certificates", holds=NOTHING)
register(SigningKey, title="Public keys of certificates", holds=NOTHING)
register(
    Customer,
    title="Profiles of customers",
    holds="Name, address, language and attributes of a customer.",
    erased_by="Erasure of the customer, or retention.",
)
register(
    CustomerIdentity,
    title="Sign-ins known from your website",
    holds="By which id your own website knows a customer.",
    erased_by=_WITH_CUSTOMER,
)
register(
    WidgetToken,
    title="Chat sessions",
    holds="That a customer's browser has a session.",
    erased_by=_AS_LOG,
)
register(
    Conversation,
    title="Conversations",
    holds="Title, stage and why, triage, dossier, summary and preview of a conversation.",
    erased_by="Erasure of the customer, or retention.",
)
register(
    Message,
    title="Messages",
    holds="What was said, by whom, and what tools answered.",
    erased_by=_WITH_CONVERSATION,
)
register(
    Attachment,
    title="Files",
    holds="Names and kinds of the files that were sent, and who sent them.",
    erased_by=_AS_FILE,
)
register(
    AttachmentBody,
    title="Contents of files",
    holds="The files themselves, and small pictures of them.",
    erased_by=_AS_FILE,
)
register(
    MessageEdit,
    title="Earlier versions of edited messages",
    holds="What a message said before.",
    erased_by=_WITH_CONVERSATION,
)
register(
    Summary,
    title="Summaries of conversations",
    holds="What was said, in short.",
    erased_by=_WITH_CONVERSATION,
)
register(
    Note,
    title="Private notes of the team",
    holds="What teammates remarked about a customer.",
    erased_by=_WITH_CONVERSATION,
)
register(
    Event,
    title="Events of the timeline",
    holds="Lines of the timeline, with teammates' names.",
    erased_by=_WITH_CONVERSATION,
)
register(
    Draft,
    title="Unsent replies of teammates",
    holds="Unsent words of a teammate.",
    erased_by=_WITH_CONVERSATION,
)
register(
    Rating,
    title="Ratings and comments",
    holds="A customer's opinion and comment.",
    erased_by=_WITH_CONVERSATION,
)
register(
    CustomerMerge,
    title="Merges and splits of customers",
    holds="That two customers are one, and names of attributes.",
    erased_by=_AS_LOG,
)
register(
    ExportRequest,
    title="Exports",
    holds="That a customer's data was copied.",
    erased_by=_AS_LOG,
)
register(
    ExportPart,
    title="Encrypted pieces of exports",
    holds="An encrypted copy of a customer's data or of the whole workspace, for 72 hours.",
    erased_by="It ends after 72 hours; at once when anybody in it is erased.",
)
register(TenantEnd, title="Orders to delete the workspace", holds=NOTHING)
register(
    ErasureRequest,
    title="Requests to be erased",
    holds="While it runs: whose erasure it is, why, and by which words they would be found.",
    erased_by="The erasure itself, when it is certified: only a pseudonym stays.",
)
register(RedactionTarget, title="Systems that are told of erasures", holds=NOTHING)
register(
    RedactionNotice,
    title="Messages to those systems",
    holds="Whom another system is to forget, encrypted, until its receipt.",
    erased_by="The other system's receipt, or three days without one.",
)
register(Tombstone, title="Pseudonyms of the erased", holds=NOTHING)
register(
    LegalHold,
    title="Legal holds",
    holds="Why a customer or a conversation must be kept, in a teammate's words.",
    erased_by="Stays as the record; after its end an erasure takes whom and why off it.",
)
register(RetentionPolicy, title="Retention policies", holds=NOTHING)
register(RetentionRound, title="Progress of the retention rounds", holds=NOTHING)
register(RetentionRun, title="Reports of retention", holds=NOTHING)
