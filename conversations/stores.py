"""Where the conversations' data of a subject lies, for erasure and retention."""

from conversations.models import (
    Conversation,
    ConversationLabel,
    Customer,
    CustomerIdentity,
    Draft,
    Event,
    Kind,
    Message,
    MessageEdit,
    Note,
    Rating,
    WidgetToken,
)
from conversations.retained import retain
from tenants.models import DueWork
from tenants.personal_data import Rank
from tenants.table_stores import OF_CUSTOMER, register_table

register_table("message edits", MessageEdit)
register_table("messages", Message)
register_table("notes", Note)
register_table("events", Event)
register_table("drafts", Draft)
register_table("ratings", Rating)
register_table("work due for conversations", DueWork, where="ref_id = ANY(%(talks)s)")
# Last of all but the talk itself: a label may be what holds the rest of a talk that is half gone.
register_table("labels", ConversationLabel, rank=Rank.TALK)
register_table("conversations", Conversation, where="id = ANY(%(talks)s)", rank=Rank.TALK)
register_table("widget sessions", WidgetToken, where=OF_CUSTOMER, rank=Rank.PERSON_BRANCH)
register_table("identities", CustomerIdentity, where=OF_CUSTOMER, rank=Rank.PERSON_BRANCH)
register_table("customers", Customer, where="id = %(customer)s", rank=Rank.PERSON)

retain(Kind.NOTES, Note, store="notes")
retain(Kind.DRAFTS, Draft, store="drafts")
