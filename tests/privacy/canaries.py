"""A person with a word of their own in every field that a person can reach.

Where there is a real way (the widget, the API, a service) the word comes in by it; where the way is
a model's or a provider's, by the row that it leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
from django.conf import settings
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.core.mail import EmailMessage
from django.utils import timezone

from agents.models import Approval, ModelCall, ReplyDraft, ToolCall, Turn
from conversations.models import (
    Conversation,
    Customer,
    Draft,
    Label,
    LegalHold,
    Message,
    Summary,
)
from conversations.services.changes import change
from conversations.services.edits import edit_message
from conversations.services.forking import fork
from conversations.services.lifecycle import snooze
from conversations.services.messages import add_note, post_reply
from conversations.services.stores_outside import TENANT_HEADER
from conversations.transcript import NewRow, append
from tests.privacy.erasing import identity, superuser_url
from tests.support.cast import Company
from tests.support.files import attach, staged
from tests.support.widget import Widget


@dataclass
class Person:
    """The subject, and what was planted: a word by the name of its place."""

    company: Company
    customer: Customer
    talks: list[Conversation]
    widget: Widget
    words: dict[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        return [str(self.customer.id), *(str(talk.id) for talk in self.talks)]


class Planter:
    """Hands out the words."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        return self.words.setdefault(place, f"kanari-{uuid4().hex[:16]}")


def plant(company: Company, email: str) -> Person:
    """Some fifty words, each in one place more than the last."""
    word = Planter()
    word.words["address"] = email
    widget = Widget(company)
    proof = identity(company, subject=word("subject"), name=word("name"), email=email)
    assert widget.start(identity=proof).status_code == 201
    first = widget.say(word("first message")).json()
    talk_id = UUID(first["conversation"]["id"])
    widget.say(f'{word("message")} says "ümlaut"\n<b>{word("markup")}</b>', where=str(talk_id))
    widget.post(f"conversations/{talk_id}/rating", {"score": 1, "comment": word("rating comment")})
    with company.scope():
        talk = Conversation.objects.get(pk=talk_id)
        customer = talk.customer
        _by_members(company, talk, word)
        _by_the_agent(talk, word)
        _with_files(company, talk, word)
        talks = [talk, _forked(company, talk, word)]
        _on_the_customer(customer, word)
        _on_the_conversation(talk, word)
        _of_an_ended_hold(company, customer, word)
    person = Person(company, customer, talks, widget, word.words)
    _outside(person, word)
    with psycopg.connect(superuser_url(), autocommit=True) as superuser:
        superuser.execute("ANALYZE")
    return person


def _by_members(company: Company, talk: Conversation, word: Planter) -> None:
    bob = company.bob.member
    post_reply(talk, by=bob, client_key=uuid4(), text=word("reply"))
    add_note(talk, by=bob, text=word("note"))
    Label.objects.get_or_create(name="vip")
    change(talk, {"title": word("title"), "labels": ["vip"]}, by=bob)
    talk.refresh_from_db()
    snooze(talk, until=timezone.now() + timedelta(days=1), by=bob)
    message = Message.objects.get(conversation=talk, text=word("first message"))
    edit_message(message, by=bob, text=word("edited message"))
    for mode in Draft.Mode:
        Draft.objects.create(
            conversation=talk, member=bob, mode=mode, text=word(f"member's draft of a {mode}")
        )


def _with_files(company: Company, talk: Conversation, word: Planter) -> None:
    """Sent by either side, and one that the customer has not sent."""
    content = f"Dear all, {word('words of a file')}.".encode()
    small = b"RIFF\0" + word("bytes of a small picture").encode() + b"\xff"
    attach(talk, 1, name=f"{word('name of a file')}.png", content=content, preview=small)
    wide = f"\ufeff{word('words of a file in UTF-16')}".encode("utf-16-le")
    name = f"{word('name of a file of a member')}.txt"
    attach(talk, 1, name=name, content=wide, customer_id=None, member=company.bob.member)
    unsent = f"?{word('words of an unsent file')}".encode()
    staged(f"{word('name of an unsent file')}.txt", unsent, customer_id=talk.customer_id)


def _by_the_agent(talk: Conversation, word: Planter) -> None:
    """As the turns of a model leave it."""
    turn = Turn.objects.create(
        conversation=talk,
        reason="customer",
        state="failed",
        finished_at=timezone.now(),
        deadline_at=timezone.now(),
        session_state={"messages": [word("framework state")]},
        seen={"lines": [word("what the model saw")]},
        error_detail=f"the provider said: {word('error of a provider')}",
    )
    ToolCall.objects.create(
        turn=turn, step=1, name="look_up", arguments={"order": word("tool argument")},
        arguments_digest=b"x", result=word("tool result"), state="finished",
    )  # fmt: skip
    Approval.objects.create(
        conversation=talk, turn=turn, call_id=word("call id"), tool="refund",
        arguments={"reason": word("approval argument")}, arguments_digest=b"x",
        why=word("approval reason"), state="rejected", expires_at=timezone.now(),
        decided_at=timezone.now(), comment=word("approval comment"),
    )  # fmt: skip
    ReplyDraft.objects.create(
        conversation=talk, turn=turn, saw_seq=1, text=word("agent's draft"),
        sources=[{"title": word("agent's draft source")}],
    )  # fmt: skip
    ModelCall.objects.create(
        conversation_id=talk.id, turn_id=turn.id, api="responses", model="m", outcome="ok",
        input_tokens=11,
    )  # fmt: skip
    append(
        talk.id,
        [
            NewRow("agent", parts=[{"call": {"arguments": word("call in the transcript")}}],
                   turn_id=turn.id),
            NewRow("tool", parts=[{"result": word("result in the transcript")}], turn_id=turn.id),
            NewRow("member", text=word("answer"), author_name=word("author's name"),
                   sources=[{"title": word("source")}], turn_id=turn.id),
        ],
        by="member",
    )  # fmt: skip


def _forked(company: Company, talk: Conversation, word: Planter) -> Conversation:
    message = Message.objects.get(conversation=talk, text=word("answer"))
    other = fork(message, by=company.bob.member)
    post_reply(other, by=company.bob.member, client_key=uuid4(), text=word("reply after a fork"))
    return other


def _on_the_customer(customer: Customer, word: Planter) -> None:
    Customer.objects.filter(pk=customer.pk).update(
        attributes={
            "phone": word("attribute"),
            word("name of an attribute"): 1,
            "nested": {"deep": [word("nested attribute")]},
        }
    )


def _on_the_conversation(talk: Conversation, word: Planter) -> None:
    Conversation.objects.filter(pk=talk.pk).update(
        dossier={"size": word("dossier")},
        summary=word("summary"),
        stage_reason=word("stage reason"),
        triage={"why": word("triage")},
        last_message_preview=word("preview"),
    )
    Summary.objects.create(conversation=talk, seq=1, text=word("older summary"))


def _of_an_ended_hold(company: Company, customer: Customer, word: Planter) -> None:
    LegalHold.objects.create(
        scope="customer",
        subject_id=customer.id,
        reason=word("reason of an ended hold"),
        placed_by=company.petra.member,
        released_at=timezone.now() - timedelta(days=9),
        ends_at=timezone.now() - timedelta(days=2),
    )


def _outside(person: Person, word: Planter) -> None:
    """Where no conversation's table reaches."""
    customer = person.customer
    session = SessionStore()
    session["tenant"] = person.company.tenant.slug
    session["_messages"] = f"{customer.email} {word('message of a session')}"
    session.save()
    for kind in ("object_repr", "change_message"):
        LogEntry.objects.create(
            user=person.company.olga.user,
            content_type=ContentType.objects.get_for_model(Customer),
            object_id=str(customer.id),
            action_flag=ADDITION,
            **{"object_repr": "x", "change_message": "x", kind: word(f"staff log, {kind}")},
        )
    EmailMessage(
        "Hello", word("queued letter"), to=[customer.email],
        headers={TENANT_HEADER: str(person.company.tenant.id)},
    ).send()  # fmt: skip


def mail_folder() -> Path:
    return Path(settings.EMAIL_FILE_PATH)


Step = Callable[[], Any]
