"""Several details of a conversation in one change: all of them or none."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from conversations.models import Conversation, FunnelStage
from conversations.services import control, details
from tenants.access import member_by_id
from tenants.errors import InvalidInput
from tenants.models import Member
from tenants.permissions import Permission, may


@transaction.atomic
def change(conversation: Conversation, changes: Mapping[str, Any], *, by: Member) -> None:
    """Title, stage, assignee, mode, labels: those that are named, each with a line of its own."""
    if "title" in changes:
        details.set_title(conversation, title=changes["title"], by=by)
    if "stage" in changes:
        details.set_stage(conversation, stage=_stage(changes["stage"]), by=by)
    if "assignee" in changes:
        control.assign(conversation, to=_assignee(changes["assignee"], by), by=by)
    if "mode" in changes:
        control.set_mode(conversation, mode=changes["mode"], by=by)
    if "labels" in changes:
        details.set_labels(conversation, names=changes["labels"], by=by)


def _stage(wanted: str | None) -> FunnelStage | None:
    """By name, or by id."""
    if not wanted:
        return None
    row_id = _uuid(wanted)
    stage = FunnelStage.objects.filter(Q(pk=row_id) if row_id else Q(name=wanted)).first()
    if stage is None:
        names = ", ".join(FunnelStage.objects.order_by("position").values_list("name", flat=True))
        raise InvalidInput(
            errors={"stage": [f"There is no such stage. Stages: {names or 'none'}."]}
        )
    return stage


def _assignee(wanted: str | None, by: Member) -> Member | None:
    if not wanted:
        return None
    if wanted == "me":
        return by
    row_id = _uuid(wanted)
    if row_id is None:
        raise InvalidInput(errors={"assignee": ["Give a teammate's id, “me”, or null."]})
    member = member_by_id(row_id)
    if not may(member, Permission.REPLY):
        raise InvalidInput(errors={"assignee": ["This teammate's role does not answer customers."]})
    return member


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
