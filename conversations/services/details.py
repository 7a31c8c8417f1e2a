"""Title, funnel stage, labels, read mark. What a member wrote is never overwritten by the agent."""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from conversations import live
from conversations.models import (
    Author,
    Conversation,
    ConversationLabel,
    Event,
    FunnelStage,
    Label,
)
from conversations.services.holds import is_held_label
from conversations.services.reckoning import reckon_one
from conversations.services.timeline import AGENT, By, lock, record_event
from tenants.errors import Conflict, InvalidInput
from tenants.models import Member
from tenants.text import clean_text, scrub_text

TITLE_LIMIT = 200


class LabelIsHeld(Conflict):
    """Taking the label off would take the conversation from under its legal hold."""

    code = "legal_hold"
    title = "This label is under legal hold"
    detail = "It must stay on the conversation until a privacy officer releases the hold."


@transaction.atomic
def set_title(conversation: Conversation, *, title: str, by: Member) -> Conversation:
    """A member's title; the agent leaves it alone from now on."""
    title = " ".join(clean_text(title, limit=TITLE_LIMIT).split())
    row = lock(conversation.id)
    if row.title == title and row.title_by == Author.MEMBER:
        return row
    return _write_title(row, title=title, author=Author.MEMBER, by=By.member(by))


@transaction.atomic
def propose_title(conversation: Conversation, *, title: str) -> bool:
    """The agent's title, unless a member has written one. Says whether it was stored.

    Refused too when words of the talk have changed since `conversation` was read.
    """
    title = " ".join(scrub_text(title).split())[:TITLE_LIMIT]
    row = lock(conversation.id)
    if not title or row.title_by == Author.MEMBER or row.edition != conversation.edition:
        return False
    _write_title(row, title=title, author=Author.AGENT, by=AGENT)
    return True


@transaction.atomic
def set_stage(conversation: Conversation, *, stage: FunnelStage | None, by: Member) -> Conversation:
    """Where the talk stands on the tenant's funnel; the move is kept in the timeline."""
    row = lock(conversation.id)
    if row.stage_id == (stage.id if stage else None):
        return row
    before = row.stage.name if row.stage else None
    row.stage, row.stage_by, row.stage_reason = stage, Author.MEMBER, ""
    row.save(update_fields=["stage", "stage_by", "stage_reason"])
    detail = {"from": before, "to": stage.name if stage else None}
    record_event(row, Event.Kind.STAGE_CHANGED, by=By.member(by), detail=detail)
    live.ring(row.id, "state")
    return row


@transaction.atomic
def set_labels(conversation: Conversation, *, names: Collection[str], by: Member) -> Conversation:
    """Exactly these of the tenant's labels; a name that does not exist is refused."""
    labels = list(Label.objects.filter(name__in=set(names)))
    unknown = sorted(set(names) - {label.name for label in labels})
    if unknown:
        raise InvalidInput(errors={"labels": [f"There is no label “{unknown[0]}”."]})
    row = lock(conversation.id)
    if not _relabel(row, wanted={label.id for label in labels}):
        return row
    detail = {"labels": sorted(label.name for label in labels)}
    record_event(row, Event.Kind.LABELS_CHANGED, by=By.member(by), detail=detail)
    reckon_one(row.id)
    live.ring(row.id, "state")
    return row


def _relabel(row: Conversation, *, wanted: set[UUID]) -> bool:
    """Whether anything changed. A label under legal hold stays: it is what keeps the talk."""
    links = ConversationLabel.objects.filter(conversation=row)
    there = set(links.values_list("label_id", flat=True))
    gone = there - wanted
    if any(map(is_held_label, gone)):
        raise LabelIsHeld
    if gone:
        links.filter(label__in=gone).delete()
    ConversationLabel.objects.bulk_create(
        ConversationLabel(conversation=row, label_id=label_id) for label_id in wanted - there
    )
    return there != wanted


def mark_read(conversation: Conversation) -> None:
    """A member has the talk open: nothing in it is unread any more."""
    unread = Conversation.objects.filter(pk=conversation.pk, unread_count__gt=0)
    if unread.update(unread_count=0):
        live.ring(conversation.id, "state")


def _write_title(row: Conversation, *, title: str, author: Author, by: By) -> Conversation:
    row.title, row.title_by = title, author
    row.save(update_fields=["title", "title_by"])
    record_event(row, Event.Kind.TITLE_CHANGED, by=by)
    live.ring(row.id, "state")
    return row
