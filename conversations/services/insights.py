"""What the agent wrote down about a talk beside its answers: stage, triage, facts, summary.

Each store says what its writer had read. Words that changed meanwhile make it worthless, and it is
refused; a change removes at once what was made of the old words. A member's word always stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from conversations import live
from conversations.models import (
    Author,
    Conversation,
    Event,
    FunnelStage,
    Message,
    MessageRole,
    Summary,
)
from conversations.services.timeline import AGENT, lock, record_event
from tenants.errors import NotFound
from tenants.text import scrub_text

STAGE, TRIAGE, FACTS = "stage", "triage", "facts"
MOST_FACTS = 30
_LIMITS = {"label": 60, "value": 300}
_REASON_LENGTH = 300
_SUMMARY_LENGTH = 6_000


@dataclass(frozen=True, slots=True)
class Read:
    """What somebody had before them: the talk, the edition of its words, the last line read."""

    conversation_id: UUID
    edition: int
    seq: int


@transaction.atomic
def propose_stage(read: Read, *, stage: FunnelStage | None, reason: str) -> bool:
    """The agent's stage with its reason, unless a member has chosen one. Says whether it moved."""
    row = _current(read)
    if row is None or row.stage_by == Author.MEMBER:
        return False
    _mark(row, STAGE, read)
    if stage is None or stage.id == row.stage_id:
        return False
    before, reason = row.stage.name if row.stage else None, _line(reason, _REASON_LENGTH)
    row.stage, row.stage_by, row.stage_reason = stage, Author.AGENT, reason
    row.save(update_fields=["stage", "stage_by", "stage_reason"])
    detail = {"from": before, "to": stage.name, "reason": reason}
    record_event(row, Event.Kind.STAGE_CHANGED, by=AGENT, detail=detail)
    live.ring(row.id, "state")
    return True


@transaction.atomic
def store_triage(read: Read, triage: Mapping[str, Any]) -> bool:
    """How the customer writes, for members only."""
    row = _current(read)
    if row is None:
        return False
    row.triage = dict(triage)
    row.save(update_fields=["triage"])
    _mark(row, TRIAGE, read)
    live.ring(row.id, "state")
    return True


@transaction.atomic
def store_facts(read: Read, facts: Sequence[Mapping[str, Any]]) -> bool:
    """Adds facts `{label, value, seq}`; a newer one of the same label takes the older's place."""
    row = _current(read)
    if row is None:
        return False
    known = {fact["label"].casefold(): fact for fact in row.dossier.get("facts", [])}
    for fact in facts:
        plain = {name: _line(str(fact[name]), limit) for name, limit in _LIMITS.items()}
        if all(plain.values()):
            known.pop(plain["label"].casefold(), None)
            known[plain["label"].casefold()] = {**plain, "seq": int(fact["seq"])}
    row.dossier = {**row.dossier, "facts": list(known.values())[-MOST_FACTS:]}
    row.save(update_fields=["dossier"])
    _mark(row, FACTS, read)
    live.ring(row.id, "state")
    return True


@transaction.atomic
def store_summary(read: Read, text: str, *, after_seq: int) -> bool:
    """A summary of all lines up to `read.seq`, which went on from the one up to `after_seq`."""
    row = _current(read)
    text = scrub_text(text).strip()[:_SUMMARY_LENGTH]
    if row is None or row.summary_seq != after_seq or read.seq <= after_seq or not text:
        return False
    row.summary, row.summary_seq = text, read.seq
    row.save(update_fields=["summary", "summary_seq"])
    Summary.objects.create(conversation=row, seq=read.seq, text=text)
    live.ring(row.id, "state")
    return True


def forget_made_of(row: Conversation, message: Message) -> None:
    """The words of a message have changed: what was made of the old ones goes, in this transaction.

    The caller holds the lock. A reason or a fact may lean on any line that was read with it, so all
    of them go that had read this far; a stage stays where it is, without its reason.
    """
    kept = {name: seq for name, seq in row.insight_seqs.items() if seq < message.seq}
    gone = row.insight_seqs.keys() - kept.keys()
    row.edition, row.insight_seqs = row.edition + 1, kept
    if FACTS in gone:
        row.dossier = {name: value for name, value in row.dossier.items() if name != "facts"}
    if TRIAGE in gone:
        row.triage = {}
    if STAGE in gone:
        row.stage_reason = ""
        _drop_reasons(row)
    if message.seq <= row.summary_seq:
        row.summary, row.summary_seq = "", 0
        Summary.objects.filter(conversation=row).delete()
    if row.title_by == Author.AGENT and message.role == MessageRole.CUSTOMER:
        row.title, row.title_by = "", ""
    row.save(
        update_fields=[
            "edition", "insight_seqs", "dossier", "triage", "stage_reason", "summary",
            "summary_seq", "title", "title_by",
        ]
    )  # fmt: skip


def _drop_reasons(row: Conversation) -> None:
    events = Event.objects.filter(conversation=row, kind=Event.Kind.STAGE_CHANGED)
    for event in events.filter(by_kind=AGENT.kind, detail__has_key="reason"):
        del event.detail["reason"]
        event.save(update_fields=["detail"])


def _current(read: Read) -> Conversation | None:
    """The locked row; None when it is gone or says something else than what was read."""
    try:
        row = lock(read.conversation_id)
    except NotFound:
        return None
    return row if row.edition == read.edition else None


def _mark(row: Conversation, name: str, read: Read) -> None:
    row.insight_seqs = {**row.insight_seqs, name: read.seq}
    row.save(update_fields=["insight_seqs"])


def _line(text: str, limit: int) -> str:
    return " ".join(scrub_text(text).split())[:limit]
