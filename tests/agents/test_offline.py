"""The offline client: a real tool call, an honest quote, always an answer."""

import pytest
from agent_framework import Agent, FunctionTool
from pydantic import BaseModel

from agents.runtime import phrases
from agents.runtime.loop import run_here
from agents.runtime.offline import OfflineChatClient
from agents.runtime.quoting import Passage, best_quote
from agents.runtime.tools.search_knowledge import NOTHING

FOUND = """sufficient: yes
<<<passage 1
title: Shipping
heading: How long it takes
---
## How long it takes
We ship on weekdays. A parcel takes **two days**.
passage 1>>>
<<<passage 2
title: Other
heading:
---
Nothing of use.
passage 2>>>"""


class Query(BaseModel):
    query: str
    previous: str | None = None


class Reason(BaseModel):
    reason: str


def play(*lines, result=FOUND, locale="en", tools=("search_knowledge", "ask_for_person")):
    """The answer to the lines (customer's, or `agent: …`), and the tool calls on the way to it."""
    from agent_framework import Message  # noqa: PLC0415 - beside its only use

    made = []

    async def search_knowledge(**values):
        made.append(("search_knowledge", values))
        return result

    async def ask_for_person(**values):
        made.append(("ask_for_person", values))
        return "told"

    every = {
        "search_knowledge": FunctionTool(
            name="search_knowledge", description="", func=search_knowledge, input_model=Query
        ),
        "ask_for_person": FunctionTool(
            name="ask_for_person", description="", func=ask_for_person, input_model=Reason
        ),
    }
    messages = [
        Message("assistant", [line.removeprefix("agent: ")])
        if line.startswith("agent: ")
        else Message("user", [line])
        for line in lines
    ]

    async def go():
        agent = Agent(OfflineChatClient(locale=locale), tools=[every[name] for name in tools])
        stream = agent.run(messages, stream=True)
        pieces = [update.text async for update in stream if update.text]
        return await stream.get_final_response(), pieces

    response, pieces = run_here(go())
    return response, made, pieces


def test_it_searches_and_quotes_with_the_source():
    response, made, pieces = play("How long does shipping take?")
    assert made[0][0] == "search_knowledge"
    assert made[0][1]["query"] == "How long does shipping take?"
    text = response.messages[-1].text
    quote, source = text.split("\n\n")
    assert quote == "We ship on weekdays. A parcel takes **two days**."
    assert source == "*Source: Shipping – How long it takes*"
    assert "".join(pieces) == text
    assert len(pieces) > 1


def test_all_unanswered_lines_are_asked_together():
    _, made, _ = play("My helmet is cracked", "size M", "sorry, size L")
    assert made[0][1]["query"] == "My helmet is cracked\nsize M\nsorry, size L"


def test_a_follow_up_names_the_line_before():
    _, made, _ = play("Do you ship to Spain?", "agent: Yes.", "hi", "and how long?")
    assert made[0][1] == {"query": "and how long?", "previous": "Do you ship to Spain?"}


def test_it_says_that_it_found_nothing_and_calls_a_person():
    response, made, _ = play("What is the meaning of life?", result=NOTHING)
    assert [name for name, _ in made] == ["search_knowledge", "ask_for_person"]
    assert response.messages[-1].text == phrases.NOT_FOUND["en"]


def test_without_a_way_to_call_a_person_it_offers_one():
    response, _, _ = play("What?", result=NOTHING, tools=("search_knowledge",))
    assert response.messages[-1].text == phrases.OFFER["en"]


def test_a_customer_who_wants_a_person_gets_one_without_a_search():
    response, made, _ = play("I want to talk to a human please")
    assert [name for name, _ in made] == ["ask_for_person"]
    assert response.messages[-1].text == phrases.PERSON["en"]


@pytest.mark.parametrize(
    "line", ["hi", "Hello!", "Hey there 👋", "¡Hola!", "مرحبا", "Guten Tag", "?"]
)
def test_greetings_are_greeted_without_a_search(line):
    response, made, _ = play(line)
    assert made == []
    assert response.messages[-1].text == phrases.GREETING["en"]


@pytest.mark.parametrize("line", ["Thanks!", "thank you so much", "Vielen Dank", "ok", "شكرا"])
def test_thanks_are_answered_in_kind(line):
    response, made, _ = play("How?", "agent: So.", line)
    assert made == []
    assert response.messages[-1].text == phrases.WELCOME["en"]


def test_it_names_what_a_colleague_said():
    lines = ("hello", "agent: [Sam, support] We ship on Monday.", "what did Sam say?")
    response, made, _ = play(*lines)
    assert made == []
    assert response.messages[-1].text == "Our colleague wrote:\n\n> We ship on Monday."
    _, made, _ = play("what did Sam say?")
    assert made[0][0] == "search_knowledge"


@pytest.mark.parametrize("language", phrases.LANGUAGES)
def test_its_own_sentences_come_in_the_language_of_the_talk(language):
    for spoken in (phrases.GREETING, phrases.WELCOME, phrases.NOT_FOUND, phrases.OFFER):
        assert spoken[language]
    response, _, _ = play("Zzz?", result=NOTHING, locale=f"{language}-XX")
    assert response.messages[-1].text == phrases.NOT_FOUND[language]


def test_an_unknown_language_is_answered_in_english():
    response, _, _ = play("hello", locale="tlh")
    assert response.messages[-1].text == phrases.GREETING["en"]


def test_it_names_itself_and_estimates_its_usage():
    response, _, _ = play("hello")
    usage = response.usage_details
    assert usage["output_token_count"] == -(-len(phrases.GREETING["en"]) // 4)
    assert usage["input_token_count"] >= 2


def test_it_always_says_something_even_without_any_line():
    response, _, _ = play("agent: hello")
    assert response.messages[-1].text


def test_a_long_passage_is_quoted_where_it_answers():
    filler = "This paragraph is about something else entirely, and goes on for a while.\n\n" * 12
    text = f"{filler}Returns are free within thirty days.\n\n{filler}"
    quote = best_quote(Passage("Returns", "", text), "How many days do I have for returns?")
    assert quote.startswith("Returns are free within thirty days.")
    assert len(quote) <= 600


def test_a_quote_holds_no_image():
    text = "Press the button.\n\n![the button](https://example.com/x.png)\n\nThen wait."
    assert best_quote(Passage("x", "", text), "button?") == "Press the button.\n\nThen wait."
