"""The conversation's own rows as the agent's memory."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from agent_framework import (
    AgentSession,
    HistoryProvider,
    Message,
    SessionContext,
    SupportsAgentRun,
)

from agents.runtime.asking import requested_calls, split_batch
from agents.runtime.extent import Extent, is_long, window
from agents.runtime.loop import step_out
from agents.runtime.mapping import scrub, summary_message, to_messages, to_rows
from agents.runtime.masking import masked_row
from agents.runtime.ordering import causal, pair
from agents.runtime.run import APPROVALS_KEY, STATE_KEY, Run, Waiting, run_of
from agents.runtime.stray_ids import KEEPS_STATE
from agents.services.contract import TurnError
from agents.services.tokens import tokenizer
from conversations.models import MessageRole, Summary
from conversations.selectors.lines import newest_summary
from conversations.transcript import NewRow, Row, load_turn, load_window
from tenants.scoping import tenant_scope

_MOST_SOURCES = 3


class UnknownConversation(LookupError):
    """There is no such conversation for this tenant: never answer from an empty memory instead."""


class ConversationHistoryProvider(HistoryProvider):
    """Loads by one query, stores this turn only, and keeps nothing of a conversation in itself.

    One instance serves every run at once, so a field with the current conversation would leak it
    into another customer's talk; ids travel in the session's state. The customer's lines are rows
    before a run begins, so inputs are never stored here and a failed run leaves nothing behind.
    """

    def __init__(self) -> None:
        super().__init__(STATE_KEY, store_inputs=False)
        self._mark = {"source_id": STATE_KEY, "source_type": type(self).__name__}

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        if not state or "conversation_id" not in state:
            raise UnknownConversation("The session names no conversation.")
        rows, summary = step_out(_load, state)
        if not rows:
            raise UnknownConversation(state["conversation_id"])
        state["saw_seq"] = max(row.seq for row in rows)
        rest, batch = split_batch(causal(rows), state["pending"])
        news = _news(rest, state.get("known"))
        # The service has the earlier lines themselves, so it needs no summary of them.
        summary = None if news else summary
        shown = news or _within(rest, summary, state)
        state["kept"] = [row.seq for row in rest if row not in news] if news else []
        state["summary"] = str(summary.id) if summary else None
        state["shown"] = [row.seq for row in [*shown, *(batch if state["resumes"] else [])]]
        state["human_spoke"] = any(row.role == MessageRole.MEMBER and row.text for row in shown)
        before = [summary_message(summary.text)] if summary else []
        if not state["resumes"]:
            return [*before, *pair(to_messages(shown, vendor=state["vendor"]))]
        messages = to_messages([*shown, *batch], vendor=state["vendor"])
        return [*before, *pair(messages, pending=state["pending"])]

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        """Adds the talk to what the model is shown.

        The framework copies each message before it marks whose it is, and looks for approvals that
        are settled. These were made for this run alone, and `pair` has settled what is not resumed.
        """
        if state.get("resumes"):
            await super().before_run(agent=agent, session=session, context=context, state=state)
            return
        messages = await self.get_messages(context.session_id, state=state)
        for message in messages:
            # One for each: what is written on it later must not reach another talk's messages.
            message.additional_properties["_attribution"] = dict(self._mark)
        context.context_messages.setdefault(self.source_id, []).extend(messages)

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Not a way in: `after_run` stores rows, usage and state together."""
        raise RuntimeError("A turn is stored by after_run, whole or not at all.")

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        """Commits the turn once it is complete; a later call for the same run adds nothing."""
        run, response = run_of(session), context.response
        if response is None or run.committed:
            return
        if session.service_session_id is not None and not run.facts.keeps_history:
            raise TurnError("provider_keeps_state", retryable=False, detail=KEEPS_STATE)
        names = {"author_name": run.facts.agent_name, "vendor": state["vendor"]}
        run.rows.extend(to_rows(response.messages, **names))
        awaiting = bool(response.user_input_requests)
        if not (awaiting or _is_complete(run)):
            return
        own = (masked_row(row, run.facts.secrets) for row in run.rows)
        run.rows = [_of_turn(row, run, state["saw_seq"]) for row in own]
        _attach_sources(run)
        waiting = _waiting(run, session) if awaiting else None
        service_id = None if awaiting else _id_of(session)
        answer = run.answer(saw_seq=state["saw_seq"], waiting=waiting, service_id=service_id)
        step_out(run.commit, run.claimed, answer=answer)
        run.committed = True


def _load(state: dict[str, Any]) -> tuple[list[Row], Summary | None]:
    """The window, and the turn that asked for what is resumed, should the talk have left it.

    With the summary of what came before, when the talk is long enough to have one.
    """
    tenant_id, talk = UUID(state["tenant_id"]), UUID(state["conversation_id"])
    rows = load_window(tenant_id, talk, limit=state["window"])
    asked_by = state.get("resumes_from")
    if rows and asked_by:
        with tenant_scope(tenant_id):
            asked = load_turn(talk, UUID(asked_by), before_seq=rows[0].seq)
        rows = [*split_batch(asked, state["pending"])[1], *rows]
    if not (state.get("summed_up") and is_long(rows, **_extent(state))):
        return rows, None
    with tenant_scope(tenant_id):
        return rows, newest_summary(talk)


def _within(rows: list[Row], summary: Summary | None, state: dict[str, Any]) -> list[Row]:
    rest = [row for row in rows if row.seq > summary.seq] if summary else rows
    return window(rest, **_extent(state))


def _extent(state: dict[str, Any]) -> Extent:
    count = tokenizer(state["tokenizer"])
    return {"limit": state["window"], "tokens": state["token_budget"], "count": count}


def _news(rows: Sequence[Row], known: dict[str, Any] | None) -> list[Row]:
    """The lines that the service has not been given, where it goes on from an answer."""
    if known is None:
        return []
    return [
        row for row in rows if row.seq > known["saw_seq"] and str(row.turn_id) != known["turn_id"]
    ]


def _id_of(session: AgentSession) -> str | None:
    """The answer that the service would go on from, when it keeps the conversation."""
    given = session.service_session_id
    return given if isinstance(given, str) else None


def _waiting(run: Run, session: AgentSession) -> Waiting:
    state = scrub(session.state[APPROVALS_KEY])
    return Waiting(state, requested_calls(state, run.rows, run.facts.rules))


def _is_complete(run: Run) -> bool:
    """Whether the turn ends in words; one that only calls a person may end without them."""
    last = run.rows[-1] if run.rows else None
    return bool(last and last.text) or run.asks_for_person is not None


def _of_turn(row: NewRow, run: Run, saw_seq: int) -> NewRow:
    return replace(row, turn_id=run.claimed.turn_id, saw_seq=saw_seq)


def _attach_sources(run: Run) -> None:
    """Names what the answer rests on: the pages that it names, else the best ones found."""
    if not run.rows or not run.rows[-1].text:
        return
    last = run.rows[-1]
    named = [source for source in run.sources if source["title"] in last.text]
    likely = run.sources[:_MOST_SOURCES] if run.asks_for_person is None else []
    run.rows[-1] = replace(last, sources=named or likely or None)


# The one instance of the process.
HISTORY = ConversationHistoryProvider()
