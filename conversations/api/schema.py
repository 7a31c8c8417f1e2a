"""Answers that only the member API gives."""

from conversations.schema import (
    Answer,
    CustomerOut,
    MemberEventOut,
    MessageOut,
    NoteOut,
    StateOut,
    SummaryOut,
)
from tenants.gates.schema import paged


class MessagesOut(Answer):
    """A page of messages in `seq` order, and the state."""

    results = MessageOut(many=True)
    state = StateOut()


SummariesOut = paged(SummaryOut, "Summaries")
NotesOut = paged(NoteOut, "Notes")
EventsOut = paged(MemberEventOut, "MemberEvents")
CustomersOut = paged(CustomerOut, "Customers")
