"""Where the conversations' data of a subject lies, for erasure and retention."""

from conversations.models import (
    Attachment,
    AttachmentBody,
    Conversation,
    ConversationLabel,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    Draft,
    Event,
    ExportPart,
    ExportRequest,
    Kind,
    LegalHold,
    Message,
    MessageEdit,
    Note,
    Rating,
    Summary,
    WidgetToken,
)
from conversations.retained import retain, retain_log
from conversations.services import stores_outside as outside
from tenants.models import DueWork, Invitation
from tenants.personal_data import Rank, register_store, register_title
from tenants.table_stores import OF_CUSTOMER, OF_TALKS, register_table

register_table("message edits", MessageEdit)
register_table("messages", Message)
register_table("notes", Note)
_OF_FILES = "attachment_id IN (SELECT id FROM conversations_attachment WHERE"
register_table(
    "contents of files",
    AttachmentBody,
    where=f"{_OF_FILES} tenant_id = %(tenant)s AND {OF_TALKS})",
    rank=Rank.LEAF,
)
register_table("files of messages", Attachment)
# What the customer has brought and not sent; sent ones belong to the talk, whoever brought them.
_UNSENT = f"{OF_CUSTOMER} AND conversation_id IS NULL"
register_table(
    "contents of files not sent",
    AttachmentBody,
    where=f"{_OF_FILES} tenant_id = %(tenant)s AND {_UNSENT})",
    rank=Rank.PERSON_BRANCH,
)
register_table("files not sent", Attachment, where=_UNSENT, rank=Rank.PERSON_BRANCH)
register_table("summaries", Summary)
register_table("events", Event)
register_table("drafts", Draft)
register_table("ratings", Rating)
register_table("work due for conversations", DueWork, where="ref_id = ANY(%(talks)s)")
# Last of all but the talk itself: a label may be what holds the rest of a talk that is half gone.
register_table("labels", ConversationLabel, rank=Rank.TALK)
register_table("conversations", Conversation, where="id = ANY(%(talks)s)", rank=Rank.TALK)
register_table("widget sessions", WidgetToken, where=OF_CUSTOMER, rank=Rank.PERSON_BRANCH)
register_table("identities", CustomerIdentity, where=OF_CUSTOMER, rank=Rank.PERSON_BRANCH)
register_table(
    "merges",
    CustomerMerge,
    where="%(customer)s IN (source_id, target_id)",
    rank=Rank.PERSON_BRANCH,
)
# A copy of everything holds the subject too, so whoever is erased takes it along as a whole.
_OF_COPIES = "SELECT id FROM conversations_exportrequest WHERE tenant_id = %(tenant)s"
_COPIES = (
    "(customer_id = %(customer)s OR (kind = 'tenant' AND %(customer)s IS NOT NULL AND %(copies)s))"
)
register_table(
    "pieces of exports",
    ExportPart,
    where=f"export_id IN ({_OF_COPIES} AND {_COPIES})",
    rank=Rank.PERSON_BRANCH,
)
register_table("exports", ExportRequest, where=OF_CUSTOMER, rank=Rank.PERSON_BRANCH)
register_table(
    "customers merged into this one",
    Customer,
    where="merged_into_id = %(customer)s",
    rank=Rank.PERSON_BRANCH,
)
register_table("customers", Customer, where="id = %(customer)s", rank=Rank.PERSON)

retain(Kind.NOTES, Note, store="notes")
retain(Kind.DRAFTS, Draft, store="drafts")
# Taken out of its message, which stays and says so: what is out already does not end again.
retain(Kind.FILES, Attachment, store="files of messages", ready="r.redacted_at IS NULL")

# Logs: what was noted by the way, about people who may still be here. Sessions of before
# `last_seen_at` was written are the only sign of when somebody was here.
_CUSTOMER = "JOIN conversations_customer s ON s.tenant_id = r.tenant_id AND s.id = r."
_HELD = "legal_hold_on(r.tenant_id, 'customer', s.id)"
retain_log(
    WidgetToken,
    store="ended sessions",
    since="LEAST(r.expires_at, r.revoked_at)",
    beside=f"{_CUSTOMER}customer_id",
    held=_HELD,
    ready="s.last_seen_at IS NOT NULL",
)
retain_log(
    ExportRequest,
    store="records of exports",
    since="COALESCE(r.expires_at, r.created_at)",
    beside=f"{_CUSTOMER}customer_id",
    held=_HELD,
    ready="r.state IN ('ended', 'failed')",
)
retain_log(
    CustomerMerge,
    store="merges beyond undoing",
    since="r.undo_until",
    beside=f"{_CUSTOMER}target_id",
    held=f"({_HELD} OR legal_hold_on(r.tenant_id, 'customer', r.source_id))",
)
retain_log(Invitation, store="past invitations", since="COALESCE(r.accepted_at, r.expires_at)")
# A hold that has ended stays on the record, without whom it was on and why.
_FORGET = "subject_id = '00000000-0000-0000-0000-000000000000', reason = ''"
register_table(
    "ended holds on conversations",
    LegalHold,
    where="subject_id = ANY(%(talks)s) AND ends_at <= now()",
    change=_FORGET,
)
register_table(
    "ended holds on customers",
    LegalHold,
    where="subject_id = %(customer)s AND ends_at <= now()",
    rank=Rank.PERSON_BRANCH,
    change=_FORGET,
)
register_store("rates in Redis", counts=outside.rates, purges=outside.forget_rates, outside=True)
register_store("rings in the broker", counts=outside.doorbells, purges=outside.unring, outside=True)
register_store("queued mail", counts=outside.letters, purges=outside.drop_letters, outside=True)
register_store(
    "sign-in sessions", counts=outside.sessions, purges=outside.end_sessions, outside=True
)
register_store("staff log", counts=outside.staff_log, purges=outside.clear_staff_log, outside=True)

# Stores that are no table, or only some rows of one.
register_title("work due for conversations", "Timers of conversations")
register_title("customers merged into this one", "Profiles merged into this one")
register_title("ended holds on conversations", "Ended holds on conversations, made anonymous")
register_title("ended holds on customers", "Ended holds on the customer, made anonymous")
register_title("contents of files not sent", "Contents of files that were not sent")
register_title("files not sent", "Files that were not sent")
register_title("ended sessions", "Ended chat sessions")
register_title("records of exports", "Records of ended exports")
register_title("merges beyond undoing", "Merges and splits too old to undo")
register_title("past invitations", "Invitations that were used or ended")
register_title("rates in Redis", "Counters against too many messages")
register_title("rings in the broker", "Signals to background workers")
register_title("queued mail", "E-mails waiting to be sent")
register_title("sign-in sessions", "Sign-in sessions of teammates that name the customer")
register_title("staff log", "Back-office log of the platform's staff")
# What the scanner looks through, and a preview counts, beside the stores.
register_title("tables", "Every row of every table")
register_title(
    "contents", "Inside files and other bytes, as they are kept (nothing packed is unpacked)"
)
register_title("pg_stats", "The database's statistics")
register_title("large objects", "Large objects in the database")
register_title("redis", "Caches, queues and live events")
register_title("redis of the broker", "Queues of background work")
register_title("redis of live events", "Live events")
register_title("files", "Files and logs")
register_title("lines of conversations", "Lines in those conversations")
# The files of a copy; those that a store names already are called the same.
register_title("attachments", "List of the files that were sent")
register_title("small pictures", "Small pictures of files")
register_title("profile", "Profile of the customer")
register_title("sessions", "Chat sessions of the customer")
register_title("earlier_words", "Earlier versions of their messages")
register_title("index", "Everything as a page for people")
register_title("manifest", "List of all files with their hashes")
register_title("settings", "Settings of the workspace")
