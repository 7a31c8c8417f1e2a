"""What a reader sees while an answer is written: each word once, whatever the protocol repeats."""

from uuid import uuid4

import pytest
from agent_framework import AgentResponseUpdate, Content

from agents.runtime import deltas
from agents.runtime.deltas import Deltas
from agents.runtime.loop import run_here
from agents.services.contract import ClaimedTurn


def streamed(*contents: Content) -> str:
    """The text that open streams were told, piece after piece."""
    told: list[str] = []
    claimed = ClaimedTurn(uuid4(), uuid4(), uuid4(), 1, 1, 60.0, "customer")
    stream = Deltas(claimed, lambda _, data: told.append(data["text"]))

    async def play() -> None:
        for content in contents:
            stream.add(AgentResponseUpdate(contents=[content], role="assistant"))

    run_here(play())
    return "".join(told)


@pytest.fixture(autouse=True)
def every_piece_at_once(monkeypatch):
    monkeypatch.setattr(deltas, "_BATCH_SECONDS", 0)


def piece(text: str) -> Content:
    return Content.from_text(text, merge_mode="append")


def whole(text: str) -> Content:
    return Content.from_text(text, merge_mode="replace")


def test_a_part_that_is_said_once_more_as_a_whole_is_told_once():
    assert streamed(piece("We are "), piece("open."), whole("We are open.")) == "We are open."


def test_what_came_only_with_the_whole_is_told():
    assert streamed(whole("We are open.")) == "We are open."
    assert streamed(piece("We are"), whole("We are open.")) == "We are open."


def test_the_next_part_begins_anew():
    parts = [piece("One."), whole("One."), piece("One."), whole("One.")]
    assert streamed(*parts) == "One.One."
