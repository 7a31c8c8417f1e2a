"""A tenant's specialists: versions that never change, of which the newest answers."""

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from agents.models import HttpTool, ModelEndpoint, Specialist
from agents.services.profiles import LONGEST_INSTRUCTIONS
from agents.services.tools import forget_rules
from tenants.errors import Conflict, InvalidInput
from tenants.models import Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit
from tenants.text import clean_text

_NAME = re.compile(r"^[a-z][a-z0-9_]{2,59}$")
# A specialist works inside a turn, whose own limit ends it in any case.
LIMITS = {"max_steps": (1, 16), "seconds": (5, 120)}


class SpecialistChanged(Conflict):
    """Two people change one specialist: the second must see the first one's words."""

    code = "specialist_changed"
    detail = "Somebody changed this specialist meanwhile. Read the new version, then change it."


@dataclass(frozen=True)
class SpecialistValues:
    """What a member sets, beside the endpoint; each field is a column."""

    name: str
    description: str
    instructions: str = ""
    tools: tuple[str, ...] = ()
    max_steps: int = 4
    seconds: int = 30
    enabled: bool = True


@transaction.atomic
def add_specialist(
    values: SpecialistValues,
    *,
    endpoint: ModelEndpoint,
    taken: Collection[str],
    tools: Collection[str],
    by: Member,
) -> Specialist:
    """Version 1; the agent may ask it once a version of the agent names it.

    `taken` are the names of other tools, `tools` those that a specialist may be given.
    """
    _line_up()
    _refuse(values, tools, {"name": _name_mistake(values.name, taken)})
    row = _stored(values, endpoint)
    audit.record("specialist.added", by=by, target=row, detail={"version": row.version})
    return row


@transaction.atomic
def change_specialist(
    old: Specialist,
    values: SpecialistValues,
    *,
    endpoint: ModelEndpoint,
    tools: Collection[str],
    by: Member,
) -> Specialist:
    """A new version under the same name, which answers from the next call on.

    Raises `SpecialistChanged` when `old` is not the one that answers any more.
    """
    _line_up()
    _refuse(values, set(tools) | set(old.tools), {})
    before = values_of(old)
    if values.name != before.name:
        raise InvalidInput(errors={"name": ["A name stays. Add another specialist instead."]})
    changed = [
        each.name
        for each in fields(SpecialistValues)
        if getattr(before, each.name) != getattr(values, each.name)
    ]
    changed += ["endpoint"] if old.endpoint_id != endpoint.id else []
    if not changed:
        return old
    _retire(old)
    row = _stored(values, endpoint)
    detail = {"version": row.version, "fields": changed}
    audit.record("specialist.changed", by=by, target=row, detail=detail)
    return row


@transaction.atomic
def delete_specialist(row: Specialist, *, by: Member) -> None:
    """Nobody answers by this name any more; its versions stay, for the turns that asked them."""
    _line_up()
    _retire(row)
    forget_rules([row.name], by=by)
    audit.record("specialist.deleted", by=by, target=row, detail={"version": row.version})


def values_of(row: Specialist) -> SpecialistValues:
    found = {each.name: getattr(row, each.name) for each in fields(SpecialistValues)}
    return SpecialistValues(**{**found, "tools": tuple(row.tools)})


def _stored(values: SpecialistValues, endpoint: ModelEndpoint) -> Specialist:
    versions = Specialist.objects.filter(name=values.name)
    last = versions.aggregate(last=Max("version"))["last"] or 0
    given = {**asdict(values), "tools": list(values.tools)}
    return Specialist.objects.create(**given, version=last + 1, endpoint=endpoint)


def _retire(row: Specialist) -> None:
    now = Specialist.objects.filter(pk=row.pk, retired_at__isnull=True)
    if not now.update(retired_at=Now()):
        raise SpecialistChanged


def _line_up() -> None:
    """Two writers would hand out the same number or name: the tenant's row puts them in line."""
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())


def _name_mistake(name: str, taken: Collection[str]) -> str:
    if not _NAME.match(name):
        return "Use 3 to 60 small letters, digits and _, beginning with a letter."
    holders = Specialist.objects.filter(name=name, retired_at__isnull=True)
    is_free = name not in taken and not holders.exists()
    return (
        ""
        if is_free and not HttpTool.objects.filter(name=name).exists()
        else ("This name is taken. Choose another.")
    )


def _refuse(values: SpecialistValues, tools: Collection[str], found: dict[str, str]) -> None:
    if values.instructions:
        clean_text(values.instructions, limit=LONGEST_INSTRUCTIONS)
    unknown = [name for name in values.tools if name not in tools]
    mistakes = found | {
        "description": "" if values.description.strip() else "Tell the agent when to ask it.",
        "tools": f"A specialist cannot be given {unknown[0]}." if unknown else "",
    }
    for name, (least, most) in LIMITS.items():
        if not least <= getattr(values, name) <= most:
            mistakes[name] = f"Choose a number from {least} to {most}."
    errors = {name: [text] for name, text in mistakes.items() if text}
    if errors:
        raise InvalidInput(" ".join(text for text in mistakes.values() if text), errors=errors)
