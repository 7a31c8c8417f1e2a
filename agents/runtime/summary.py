"""The rolling summary: what the model is not shown any more, in short.

Made after a turn by due work, or before one that would miss something, as the version says. The
rows stay as they are; a change of any of them removes every summary that it was read for.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any

import structlog
from agent_framework import BaseChatClient
from pydantic import BaseModel, Field

from agents.models import AgentProfile, Api, ModelCall, SumsUp
from agents.runtime.clients import ClientSpec
from agents.runtime.extent import Extent, is_full, summable, window
from agents.runtime.loop import step_out
from agents.runtime.offline import is_courtesy
from agents.runtime.oneshot import Question, asked
from agents.runtime.ordering import causal
from agents.runtime.reading import short, spec_of
from agents.runtime.run import Run
from agents.services.tokens import tokenizer
from conversations.models import Conversation, MessageRole
from conversations.services import insights
from conversations.services.insights import Read
from conversations.transcript import Row, load_after
from tenants.scoping import tenant_scope

log = structlog.get_logger(__name__)

# Rows that are looked at in one go, and characters that one call reads; longer talks take several.
_MOST_ROWS = 500
_MOST_CHARACTERS = 40_000
_LONGEST_LINE, _LONGEST_RESULT = 1_500, 300
_QUOTED, _QUOTE_LENGTH = 20, 140
# The customer waits for this one.
_SECONDS_BEFORE = 20.0
_INSTRUCTIONS = (
    "You keep the summary of a support conversation whose older lines its agent is no longer shown."
    " Write the summary anew from the one so far and the lines that follow, in at most 250 words,"
    " in the conversation's language. Keep names, numbers, dates, what was asked, what was done and"
    " promised and by whom, and what is still open. Leave out courtesies. Add nothing of your own."
)


class Summed(BaseModel):
    """All that was said before, in short."""

    summary: str = Field(description="The summary.")


def after_turn(conversation: Conversation, profile: AgentProfile) -> Question | None:
    """Sums up in advance, so that the next turns find what will have left their window."""
    extent = extent_of(profile)
    if profile.sums_up != SumsUp.AFTER:
        return None
    rows = _unread(conversation)
    if not is_full(rows, **extent):
        return None
    return _question(conversation, rows, spec_of(conversation, profile), extent)


async def before_turn(run: Run, client: BaseChatClient[Any]) -> None:
    """Sums up what this turn would miss, where the version says so; without it the turn goes on."""
    if run.facts.sums_up != SumsUp.BEFORE:
        return
    question = step_out(_missing, run)
    if question is None or run.facts.allowance.reached(run.calls):
        return
    try:
        async with asyncio.timeout(_SECONDS_BEFORE):
            answer = await _summed(question, client, run)
    except Exception as error:  # noqa: BLE001 - an answer without its oldest lines beats none
        log.warning("summary_failed", turn=str(run.claimed.turn_id), error=type(error).__name__)
        return
    if answer is not None:
        step_out(_store, run, question, answer)


def extent_of(source: AgentProfile | Any) -> Extent:
    """The numbers of a version, or of a run's facts."""
    count = tokenizer(source.tokenizer)
    return {"limit": source.window, "tokens": source.token_budget, "count": count}


def _missing(run: Run) -> Question | None:
    with tenant_scope(run.claimed.tenant_id):
        found = Conversation.objects.filter(id=run.claimed.conversation_id).first()
        if found is None:
            return None
        rows, extent = _unread(found), extent_of(run.facts)
        if len(window(rows, **extent)) == len(rows):
            return None
        return _question(found, rows, run.facts.client, extent)


async def _summed(question: Question, client: BaseChatClient[Any], run: Run) -> BaseModel | None:
    if question.spec.api == Api.OFFLINE:
        return question.offline()
    return await asked(question, client, run.calls)


def _store(run: Run, question: Question, answer: BaseModel) -> None:
    with tenant_scope(run.claimed.tenant_id):
        question.store(answer)


def _unread(conversation: Conversation) -> list[Row]:
    return causal(load_after(conversation.id, conversation.summary_seq, limit=_MOST_ROWS))


def _question(
    conversation: Conversation, rows: Sequence[Row], spec: ClientSpec, extent: Extent
) -> Question | None:
    """About the older half of what is not summed up yet; not while a call waits for a person."""
    keep, tokens = extent["limit"] // 2, extent["tokens"] // 2
    places = summable(rows, keep=keep, tokens=tokens, count=extent["count"])
    if not places or conversation.approval_pending:
        return None
    place = _readable(rows, places)
    lines, before = rows[:place], conversation.summary
    read = Read(conversation.id, conversation.edition, max(row.seq for row in lines))
    after = conversation.summary_seq
    return Question(
        spec=spec,
        purpose=ModelCall.Purpose.SUMMARY,
        instructions=_INSTRUCTIONS,
        text=f"The summary so far:\n{before or '(none)'}\n\nThe lines after it:\n{_told(lines)}",
        shape=Summed,
        store=lambda answer: insights.store_summary(read, answer.summary, after_seq=after),
        offline=lambda: _quoted(before, lines),
        more=place < places[-1] or len(rows) == _MOST_ROWS,
    )


def _readable(rows: Sequence[Row], places: Sequence[int]) -> int:
    """The last of the places up to which one call can read; the first one in any case."""
    lengths = [len(line) for row in rows for line in [_line(row)]]
    fitting = [place for place in places if sum(lengths[:place]) <= _MOST_CHARACTERS]
    return fitting[-1] if fitting else places[0]


def _told(rows: Iterable[Row]) -> str:
    return "\n".join(filter(None, map(_line, rows)))


def _line(row: Row) -> str:
    """The row on one line; what tools did is told too."""
    said = [short(row.text, _LONGEST_LINE)] if row.text else []
    done = [words for part in row.parts or [] for words in [_deed(part)] if words]
    who = "teammate" if row.role == MessageRole.MEMBER else row.role
    return f"{who}: {' '.join([*said, *done])}" if said or done else ""


def _deed(part: Any) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "function_call":
        return short(f"called {part.get('name')} {_plain(part.get('arguments'))}", _LONGEST_RESULT)
    if kind == "function_result":
        return short(f"result {_plain(part.get('result'))}", _LONGEST_RESULT)
    return ""


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _quoted(before: str, rows: Iterable[Row]) -> Summed | None:
    """Without a language model: the customer's lines, cut short, the last ones only."""
    lines = [row.text for row in rows if row.role == MessageRole.CUSTOMER and row.text]
    quotes = [f"– {short(line, _QUOTE_LENGTH)}" for line in lines if not is_courtesy(line)]
    kept = [*before.splitlines(), *quotes][-_QUOTED:]
    return Summed(summary="\n".join(kept)) if kept else None
