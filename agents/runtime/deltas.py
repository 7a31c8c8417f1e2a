"""The answer as it is being written: provisional, numbered, in small batches."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from agent_framework import AgentResponseUpdate, Content

from agents.runtime.loop import step_out
from agents.services.contract import ClaimedTurn
from conversations import live
from tenants.text import scrub_text

_BATCH_SECONDS = 0.03


def publish_delta(claimed: ClaimedTurn, data: dict[str, Any]) -> None:
    """Tells the open streams of the conversation; of a draft nobody reads half."""
    if claimed.drafts:
        return
    live.publish(claimed.conversation_id, "delta", data)


def publish_typing(claimed: ClaimedTurn, name: str, *, on: bool) -> None:
    """Says that the agent is at work, or is no more; readers let it lapse after five seconds."""
    if claimed.drafts:
        return
    author = {"kind": "agent", "name": name}
    live.publish(claimed.conversation_id, "typing", {"author": author, "on": on})


class Deltas:
    """Collects the text of one attempt and publishes it at most every 30 ms.

    Nothing is published from outside the stream's own iteration, so no delta can follow the commit
    that ends it. What is still held then is not needed: the stored message takes its place.
    """

    def __init__(
        self, claimed: ClaimedTurn, publish: Callable[[ClaimedTurn, dict[str, Any]], None]
    ) -> None:
        self._claimed, self._publish = claimed, publish
        self._held, self._number, self._last = "", 0, 0.0
        self._paused, self._part = False, ""

    def add(self, update: AgentResponseUpdate) -> None:
        text = "".join(self._new(c) for c in update.contents if c.type == "text")
        if text and self._paused and (self._number or self._held):
            text = f"\n\n{text}"
        self._held += text
        # Before a tool runs, what was said so far is shown.
        calls = any(content.type == "function_call" for content in update.contents)
        self._paused = calls or (self._paused and not text)
        if self._held and (calls or monotonic() - self._last >= _BATCH_SECONDS):
            self._flush()

    def _new(self, content: Content) -> str:
        """What has not been said yet: some protocols end a part by saying all of it once more."""
        text = content.text or ""
        if content.merge_mode != "replace":
            self._part += text
            return text
        said, self._part = self._part, ""
        return text.removeprefix(said) if text.startswith(said) else ""

    def _flush(self) -> None:
        self._number += 1
        data = {
            "turn": str(self._claimed.turn_id),
            "attempt": self._claimed.attempt,
            "n": self._number,
            "text": scrub_text(self._held),
        }
        self._held, self._last = "", monotonic()
        step_out(self._publish, self._claimed, data)
