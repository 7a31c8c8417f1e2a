"""What is asked after an answer: a title, the funnel stage, the triage; facts have a module.

Each reads in the caller's short scope what its one call needs, or None: there is nothing to ask.
"""

import re
from typing import Literal

from pydantic import BaseModel, Field

from agents.models import AgentProfile, Api, ModelCall, OneShot
from agents.runtime import phrases
from agents.runtime.dossier import facts
from agents.runtime.offline import is_courtesy
from agents.runtime.oneshot import Prepare, Question
from agents.runtime.reading import of_customer, read_of, short, spec_of, told
from agents.services.insights import is_wanted
from conversations.models import Conversation, FunnelStage, Message
from conversations.selectors.details import stages
from conversations.selectors.lines import messages_of
from conversations.services import details, insights
from tenants.text import scrub_text

TITLE_LENGTH = 60
_LINES = 30
_FIRST = 12
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}")


class Title(BaseModel):
    """A subject."""

    title: str = Field(description="The subject in at most six words.")


class Stage(BaseModel):
    """Where the talk stands."""

    stage: str = Field(description="The name of the stage, exactly as it is listed.")
    reason: str = Field(description="Why, in one sentence.")


class Triage(BaseModel):
    """How the customer writes."""

    language: str = Field(description="The customer's language, as a tag such as en or pt-BR.")
    mood: Literal["pleased", "calm", "worried", "annoyed", "angry", "unknown"]
    urgency: Literal["low", "normal", "high", "unknown"]
    wants_person: bool = Field(description="Whether the customer asks for a person.")


class SeenTriage(BaseModel):
    """What can be told without understanding a word."""

    wants_person: bool


def title(conversation: Conversation, profile: AgentProfile) -> Question | None:
    """Names the conversation after what its customer asked; a member's title is left alone."""
    rows = of_customer(messages_of(conversation.id, after_seq=0, limit=_FIRST))
    lines = [short(row.text) for row in rows if not is_courtesy(row.text)]
    if not lines or not is_wanted(OneShot.TITLE, conversation):
        return None
    return Question(
        spec=spec_of(conversation, profile),
        purpose=ModelCall.Purpose.TITLE,
        instructions=(
            "Name the subject of this customer's request in at most six words, in the customer's"
            " language, without quotation marks and without names of persons."
        ),
        text="\n".join(lines),
        shape=Title,
        store=lambda answer: details.propose_title(conversation, title=shortened(answer.title)),
        offline=lambda: Title(title=lines[0]),
    )


def stage(conversation: Conversation, profile: AgentProfile) -> Question | None:
    """Proposes a stage of the tenant's funnel; a desk without a language model proposes none."""
    spec, rows = spec_of(conversation, profile), messages_of(conversation.id, limit=_LINES)
    known = {row.name.casefold(): row for row in stages()}
    if not (rows and known and is_wanted(OneShot.STAGE, conversation)) or spec.api == Api.OFFLINE:
        return None
    read, now = read_of(conversation, rows), conversation.stage_id
    names = [f"{row.name} (now)" if row.id == now else row.name for row in known.values()]

    def store(answer: Stage) -> bool:
        chosen: FunnelStage | None = known.get(answer.stage.strip().casefold())
        return insights.propose_stage(read, stage=chosen, reason=answer.reason)

    return Question(
        spec=spec,
        purpose=ModelCall.Purpose.STAGE,
        instructions=(
            "Say at which stage of the company's funnel this support conversation stands. Move it"
            " only when the lines plainly say so; else name the stage of now. The stages in order: "
            + "; ".join(names)
        ),
        text=told(rows),
        shape=Stage,
        store=store,
        offline=lambda: None,
    )


def triage(conversation: Conversation, profile: AgentProfile) -> Question | None:
    """Language, mood, urgency, and whether a person is wanted."""
    rows = messages_of(conversation.id, limit=_LINES)
    asked = of_customer(rows)
    if not asked or not is_wanted(OneShot.TRIAGE, conversation):
        return None
    read = read_of(conversation, rows)
    return Question(
        spec=spec_of(conversation, profile),
        purpose=ModelCall.Purpose.TRIAGE,
        instructions=(
            "Say how the customer of this support conversation writes now, for the colleague who"
            " will read it. The last lines count most. Say unknown rather than guess."
        ),
        text=told(rows),
        shape=Triage,
        store=lambda answer: insights.store_triage(read, _told_apart(answer)),
        offline=lambda: SeenTriage(wants_person=any(map(_wants_person, asked))),
    )


ONE_SHOTS: dict[str, Prepare] = {
    OneShot.TITLE: title,
    OneShot.STAGE: stage,
    OneShot.TRIAGE: triage,
    OneShot.FACTS: facts,
}


def one_shot(name: str) -> Prepare:
    """The question of that name, unless the published version has it switched off by now."""
    prepare = ONE_SHOTS[name]

    def if_chosen(conversation: Conversation, profile: AgentProfile) -> Question | None:
        return prepare(conversation, profile) if name in profile.one_shots else None

    return if_chosen


def _told_apart(answer: BaseModel) -> dict[str, object]:
    """What the model could tell: "unknown" is nothing, and a language is a tag."""
    found = {name: value for name, value in answer.model_dump().items() if value != "unknown"}
    if "language" in found and not _LANGUAGE.fullmatch(found["language"].strip()):
        del found["language"]
    return found


def _wants_person(row: Message) -> bool:
    return phrases.WANTS_PERSON.search(row.text) is not None


def shortened(text: str) -> str:
    """One line of at most 60 characters, cut between words."""
    lines = [line for line in scrub_text(text).splitlines() if phrases.bare(line)]
    line = " ".join(lines[0].split()).strip(" \"'“”„«»*#") if lines else ""
    if len(line) <= TITLE_LENGTH:
        return line
    cut = line[: TITLE_LENGTH - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ,;:.-") + "…"
