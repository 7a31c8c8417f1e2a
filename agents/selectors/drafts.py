"""The agent's draft in a conversation, as a member may send it now."""

from dataclasses import dataclass

from agents.models import ReplyDraft, Turn, TurnState
from conversations.models import Conversation


@dataclass(frozen=True, slots=True)
class DraftNow:
    """The open draft, if any; whether one is being written, and whether one can be asked for."""

    draft: ReplyDraft | None
    stale: bool
    newest_seq: int
    writing: bool
    can_ask: bool


def draft_of(conversation: Conversation, *, may_draft: bool) -> DraftNow:
    """Two statements. An answered question needs no draft: none is shown."""
    wanted = may_draft and conversation.is_unanswered
    drafts = ReplyDraft.objects.filter(conversation=conversation, state=ReplyDraft.State.OPEN)
    draft = drafts.first() if conversation.is_unanswered else None
    working = Turn.objects.filter(
        conversation=conversation, state__in=[TurnState.QUEUED, TurnState.RUNNING]
    )
    writing = wanted and working.exists()
    return DraftNow(
        draft=draft,
        stale=draft is not None and draft.is_stale_in(conversation),
        newest_seq=conversation.spoken_seq,
        writing=writing,
        can_ask=wanted and not writing,
    )
