"""The agent's configuration: a draft, immutable versions, one of them published."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from agents.models import AgentDraft, AgentProfile, ModelEndpoint, OneShot, SumsUp
from agents.services.tokens import CHARACTERS, tokenizer_names
from tenants.errors import Conflict, InvalidInput
from tenants.models import Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit
from tenants.text import clean_text

DEFAULT_TOOLS = ("search_knowledge", "ask_for_person")
# What a turn may be told beside the talk, and what it is told unless somebody says otherwise: a
# search before every answer is for those who want it.
CONTEXT = ("customer", "memory", "passages", "human")
DEFAULT_CONTEXT = ("customer", "memory", "human")
# What no version may leave out: a talk with files makes little sense to who does not know of them.
ALWAYS = ("files",)
LONGEST_INSTRUCTIONS = 20_000
# The least and the most of each number; a turn's seconds end before its worker's own limit.
LIMITS = {
    "window": (4, 200),
    "token_budget": (500, 1_000_000),
    "max_steps": (1, 16),
    "turn_seconds": (10, 300),
}


_LISTS = ("tools", "context", "one_shots")


class NothingToPublish(Conflict):
    """A version needs a model that answers."""

    code = "nothing_to_publish"
    detail = "Choose the model that answers, then publish."


class EndpointDeleted(Conflict):
    """The version's model is gone, with its key."""

    code = "endpoint_deleted"
    detail = "The model of this version was deleted. Choose another model in a draft, then publish."


@dataclass(frozen=True)
class ProfileSettings:
    """What a version says beside its endpoint; each field is a column of the version."""

    instructions: str = ""
    tools: tuple[str, ...] = field(default=DEFAULT_TOOLS)
    context: tuple[str, ...] = field(default=DEFAULT_CONTEXT)
    window: int = 40
    token_budget: int = 30_000
    tokenizer: str = CHARACTERS
    sums_up: str = SumsUp.AFTER.value
    one_shots: tuple[str, ...] = tuple(OneShot.values)
    max_steps: int = 8
    turn_seconds: int = 90


@dataclass(frozen=True)
class Draft:
    """What would be published now, and the version that it started from."""

    settings: ProfileSettings
    endpoint: ModelEndpoint | None
    based_on: int
    is_stored: bool


def current_profile() -> AgentProfile | None:
    """The published version with its endpoint, or None when no agent is set up."""
    published = AgentProfile.objects.filter(published_at__isnull=False, retired_at__isnull=True)
    return published.select_related("endpoint").first()


def current_draft() -> Draft:
    """What a member has written so far, else what is published, else the defaults."""
    row = AgentDraft.objects.select_related("endpoint").first()
    if row is not None:
        return Draft(_read(row.settings), row.endpoint, row.based_on, is_stored=True)
    now = current_profile()
    if now is None:
        return Draft(ProfileSettings(), None, 0, is_stored=False)
    return Draft(settings_of(now), now.endpoint, now.version, is_stored=False)


@transaction.atomic
def save_draft(settings: ProfileSettings, *, endpoint: ModelEndpoint | None, by: Member) -> None:
    """Keeps the draft; nobody but the playground uses it before it is published."""
    _refuse(settings)
    now = current_profile()
    values = {
        "settings": asdict(settings),
        "endpoint": endpoint,
        "based_on": now.version if now else 0,
        "changed_at": Now(),
    }
    _line_up()
    draft, _ = AgentDraft.objects.update_or_create(defaults=values)
    audit.record("agent.draft_saved", by=by, target=draft)


@transaction.atomic
def discard_draft(*, by: Member) -> None:
    """The draft is as if it had never been written; the published version stays."""
    draft = AgentDraft.objects.first()
    if draft is not None:
        audit.record("agent.draft_discarded", by=by, target=draft)
        draft.delete()


@transaction.atomic
def publish_draft(
    settings: ProfileSettings, *, endpoint: ModelEndpoint | None, by: Member
) -> AgentProfile:
    """Publishes these settings as a new version, and ends the draft that they stood in."""
    _refuse(settings)
    if endpoint is None:
        raise NothingToPublish
    profile = publish_profile(endpoint=endpoint, settings=settings)
    AgentDraft.objects.all().delete()
    audit.record("agent.published", by=by, target=profile, detail={"version": profile.version})
    return profile


@transaction.atomic
def republish(old: AgentProfile, *, by: Member) -> AgentProfile:
    """An older version once more, under a new number: what answered when stays on record."""
    profile = publish_profile(endpoint=old.endpoint, settings=settings_of(old))
    detail = {"version": profile.version, "same_as": old.version}
    audit.record("agent.published", by=by, target=profile, detail=detail)
    return profile


@transaction.atomic
def publish_profile(*, endpoint: ModelEndpoint, settings: ProfileSettings) -> AgentProfile:
    """Publishes a new version and retires the one before; the next turn uses it."""
    _line_up()
    if ModelEndpoint.objects.filter(pk=endpoint.pk, deleted_at__isnull=False).exists():
        raise EndpointDeleted
    last = AgentProfile.objects.aggregate(last=Max("version"))["last"] or 0
    AgentProfile.objects.filter(published_at__isnull=False, retired_at__isnull=True).update(
        retired_at=Now()
    )
    values = asdict(settings) | {name: list(getattr(settings, name)) for name in _LISTS}
    return AgentProfile.objects.create(
        version=last + 1, endpoint=endpoint, published_at=Now(), **values
    )


def settings_of(profile: AgentProfile) -> ProfileSettings:
    """The settings of a version, for the next one to start from."""
    return _read({each.name: getattr(profile, each.name) for each in fields(ProfileSettings)})


def _read(stored: Mapping[str, Any]) -> ProfileSettings:
    known = {
        each.name: stored[each.name] for each in fields(ProfileSettings) if each.name in stored
    }
    lists = {name: tuple(known[name]) for name in _LISTS if name in known}
    return ProfileSettings(**{**known, **lists})


def _line_up() -> None:
    """Two publishers would hand out the same number: the tenant's row puts them in line."""
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())


def _refuse(settings: ProfileSettings) -> None:
    if settings.instructions:
        clean_text(settings.instructions, limit=LONGEST_INSTRUCTIONS)
    errors = {
        name: [f"Choose a number from {least} to {most}."]
        for name, (least, most) in LIMITS.items()
        if not least <= getattr(settings, name) <= most
    }
    errors |= _unknown("tokenizer", [settings.tokenizer], tokenizer_names())
    errors |= _unknown("sums_up", [settings.sums_up], SumsUp.values)
    errors |= _unknown("one_shots", settings.one_shots, OneShot.values)
    errors |= _unknown("context", settings.context, CONTEXT)
    if errors:
        raise InvalidInput("Some settings are out of range.", errors=errors)


def _unknown(name: str, chosen: Iterable[str], known: Collection[str]) -> dict[str, list[str]]:
    wrong = [value for value in chosen if value not in known]
    return {name: [f"Choose from: {', '.join(known)}."]} if wrong else {}
