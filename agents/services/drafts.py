"""Drafts of the agent: kept at the commit of a turn, sent or thrown away by a member.

The conversation's lock comes first. A draft is stale as soon as a line of a customer or of the team
follows the last one that it knows; both counters stand on the conversation's row.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from agents.models import ReplyDraft, Turn
from agents.services.queueing import may_draft, queue_turn
from conversations import live
from conversations.models import Conversation, Message
from conversations.services.messages import Posted, Written, post_drafted_reply
from conversations.services.timeline import lock
from conversations.transcript import NewRow
from tenants.errors import Conflict
from tenants.models import Member
from tenants.text import clean_text

State = ReplyDraft.State


class DraftGone(Conflict):
    """Sent, thrown away, or replaced by a newer one."""

    code = "draft_gone"
    detail = "This draft is not there any more. Load the conversation to see what happened."


class DraftStale(Conflict):
    """It does not know what was said last."""

    code = "draft_stale"
    detail = "Something was said after this draft. Read it, then say that you have, and send."


class NothingToDraft(Conflict):
    """No open question, or no agent that drafts."""

    code = "nothing_to_draft"
    detail = "The AI agent drafts only where it is set to, and while a customer waits."


def keep_draft(
    conversation: Conversation, turn_id: UUID, rows: Sequence[NewRow], *, saw_seq: int
) -> None:
    """The newest draft takes the place of the one before. The caller holds the lock."""
    _end(ReplyDraft.stored.filter(conversation=conversation, state=State.OPEN), State.REPLACED)
    # Somebody of the team has answered meanwhile: nobody needs it.
    answered = not conversation.is_unanswered
    ReplyDraft.objects.create(
        conversation=conversation,
        turn_id=turn_id,
        state=State.REPLACED if answered else State.OPEN,
        text="" if answered else rows[-1].text,
        sources=rows[-1].sources,
        saw_seq=saw_seq,
    )


@transaction.atomic
def send_draft(
    draft: ReplyDraft,
    *,
    by: Member,
    client_key: UUID,
    text: str | None = None,
    read_seq: int | None = None,
) -> Posted:
    """The member's message, with the agent's words or with `text` in their place.

    A stale draft goes only with `read_seq`, the last line that the member says to have read. The
    same `client_key` again is the same message.
    """
    row = lock(draft.conversation_id)
    draft = _current(draft)
    if draft.state != State.OPEN:
        return _sent_before(draft, row, by=by, client_key=client_key)
    if row.spoken_seq > max(draft.saw_seq, read_seq or 0):
        raise DraftStale(extra={"newest_seq": row.spoken_seq})
    words = draft.text if text is None else clean_text(text)
    unchanged = words.strip() == draft.text.strip()
    written = Written(draft.turn_id, draft.sources if unchanged else None)
    posted = post_drafted_reply(row, by=by, client_key=client_key, text=words, written=written)
    _end(ReplyDraft.objects.filter(pk=draft.pk), State.SENT if unchanged else State.CHANGED)
    live.ring(row.id, "turn")
    return posted


@transaction.atomic
def discard_draft(draft: ReplyDraft) -> None:
    """Nobody sends it. Idempotent."""
    row = lock(draft.conversation_id)
    _end(ReplyDraft.objects.filter(pk=draft.pk, state=State.OPEN), State.DISCARDED)
    live.ring(row.id, "turn")


@transaction.atomic
def ask_for_draft(conversation: Conversation) -> UUID:
    """One more draft for what stands unanswered."""
    row = lock(conversation.id)
    if not (may_draft(row) and row.is_unanswered):
        raise NothingToDraft
    return queue_turn(row, reason=Turn.Reason.RETRY)


def end_drafts(conversation: Conversation) -> None:
    """The agent does not draft here any more, or the talk is over. The caller holds the lock."""
    _end(ReplyDraft.stored.filter(conversation=conversation, state=State.OPEN), State.DISCARDED)


def forget_drafts(conversation: Conversation, *, seq: int) -> None:
    """A line that they know has other words by now: they go, and a new one is written."""
    known = ReplyDraft.stored.filter(conversation=conversation, state=State.OPEN, saw_seq__gte=seq)
    if _end(known, State.REPLACED) and may_draft(conversation) and conversation.is_unanswered:
        queue_turn(conversation, reason=Turn.Reason.CUSTOMER)


def _current(draft: ReplyDraft) -> ReplyDraft:
    found = ReplyDraft.objects.select_for_update().filter(pk=draft.pk).first()
    if found is None:
        raise DraftGone
    return found


def _sent_before(draft: ReplyDraft, row: Conversation, *, by: Member, client_key: UUID) -> Posted:
    """A repeated request finds its message; anything else finds no draft."""
    same = Message.objects.filter(
        conversation=row, member=by, client_key=client_key, turn_id=draft.turn_id
    ).first()
    if same is None:
        raise DraftGone
    return Posted(row, same, created=False)


def _end(drafts: QuerySet[ReplyDraft], state: State) -> int:
    return drafts.update(state=state, text="")
