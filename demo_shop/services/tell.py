"""Tells a story through the services that real people and the real agent use."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

from django.db.models import F

from agents.models import ModelCall, Turn
from agents.services import turns
from agents.services.contract import TurnAnswer
from agents.services.usage import MeteredCall
from conversations.models import (
    Conversation,
    Customer,
    Event,
    FunnelStage,
    Message,
    Note,
)
from conversations.services import control, details, lifecycle, messages
from conversations.services.timeline import AGENT as BY_AGENT
from conversations.transcript import NewRow
from demo_shop.services import stories
from demo_shop.services.stories import Story
from tenants.models import Member, Tenant


def tell(story: Story, *, tenant: Tenant, team: Sequence[Member]) -> None:
    """Play the steps in order, then move the whole talk to its time; the scope is open."""
    teller = _Teller(story, tenant, team)
    for kind, text in story.steps:
        teller.play(kind, text)
    teller.finish()


class _Teller:
    def __init__(self, story: Story, tenant: Tenant, team: Sequence[Member]) -> None:
        self.story, self.tenant = story, tenant
        self.customer = Customer.objects.create(
            name=story.customer, email=story.email, locale=story.locale
        )
        self.member = _named(team, story.member)
        self.talk: Conversation | None = None

    @property
    def conversation(self) -> Conversation:
        if self.talk is None:
            raise ValueError("A story begins with a line of the customer.")
        self.talk.refresh_from_db()
        return self.talk

    def play(self, kind: str, text: str) -> None:
        if kind == stories.CUSTOMER:
            self._customer(text)
        elif kind == stories.AGENT:
            self._agent(text)
        elif kind == stories.PERSON:
            control.ask_for_person(self.conversation, by=BY_AGENT, reason=text)
        else:
            self._member(kind, text)

    def finish(self) -> None:
        conversation, story = self.conversation, self.story
        if story.title:
            details.propose_title(conversation, title=story.title)
        stage = FunnelStage.objects.filter(name=story.stage).first()
        if stage is not None:
            details.set_stage(conversation, stage=stage, by=self.member)
        details.set_labels(conversation, names=story.labels, by=self.member)
        _move_back(conversation, timedelta(hours=story.hours_ago))

    def _customer(self, text: str) -> None:
        if self.talk is None:
            posted = messages.start_conversation(
                self.customer, client_key=uuid4(), text=text, locale=self.story.locale
            )
            self.talk = posted.conversation
        else:
            messages.post_customer_message(
                self.conversation, customer=self.customer, client_key=uuid4(), text=text
            )

    def _agent(self, text: str) -> None:
        turn = Turn.objects.get(conversation=self.conversation, state="queued")
        claimed = turns.claim(turn.id, owner="demo")
        if claimed is None:
            raise ValueError("The agent has nothing to answer at this point of the story.")
        saw = self.conversation.last_seq
        row = NewRow(
            "agent",
            text,
            author_name=self.tenant.agent_name,
            turn_id=claimed.turn_id,
            saw_seq=saw,
        )
        said = Message.objects.filter(conversation=turn.conversation)
        words = sum(len(line.text) for line in said)
        call = MeteredCall(
            "answer",
            "offline",
            "offline",
            "ok",
            input_tokens=words // 4 + 400,
            output_tokens=len(text) // 4,
            duration_ms=12,
        )
        turns.commit_turn(claimed, answer=TurnAnswer([row], saw_seq=saw, calls=[call]))

    def _member(self, kind: str, text: str) -> None:
        conversation, member = self.conversation, self.member
        if kind == stories.TAKE_OVER:
            control.take_over(conversation, by=member)
        elif kind == stories.HAND_BACK:
            control.hand_back(conversation, by=member)
        elif kind == stories.NOTE:
            messages.add_note(conversation, by=member, text=text)
        elif kind == stories.RESOLVE:
            lifecycle.resolve(conversation, by=member)
        else:
            messages.post_reply(conversation, by=member, client_key=uuid4(), text=text)


def _named(team: Sequence[Member], name: str) -> Member:
    found = [member for member in team if member.name.lower().startswith(name)] if name else []
    return found[0] if found else team[0]


def _move_back(conversation: Conversation, ago: timedelta) -> None:
    """Everything happened `ago` earlier; one step a minute would look no truer."""
    earlier = F("created_at") - ago
    for table in (Message, Note, Event):
        table.objects.filter(conversation=conversation).update(created_at=earlier)
    Turn.objects.filter(conversation=conversation).update(
        created_at=earlier, started_at=F("started_at") - ago, finished_at=F("finished_at") - ago
    )
    ModelCall.objects.filter(conversation_id=conversation.id).update(created_at=earlier)
    Conversation.objects.filter(pk=conversation.pk).update(
        created_at=earlier,
        last_message_at=F("last_message_at") - ago,
        waiting_since=F("waiting_since") - ago,
    )
