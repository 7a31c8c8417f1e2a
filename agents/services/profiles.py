"""The agent's configuration: immutable versions, one of them published."""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from agents.models import AgentProfile, ModelEndpoint
from tenants.models import Tenant
from tenants.scoping import current_tenant_id

DEFAULT_TOOLS = ("search_knowledge", "ask_for_person")


@dataclass(frozen=True)
class ProfileSettings:
    """What a version says beside its endpoint."""

    instructions: str = ""
    tools: tuple[str, ...] = field(default=DEFAULT_TOOLS)
    window: int = 40
    max_steps: int = 8
    turn_seconds: int = 90


def current_profile() -> AgentProfile | None:
    """The published version with its endpoint, or None when no agent is set up."""
    published = AgentProfile.objects.filter(published_at__isnull=False, retired_at__isnull=True)
    return published.select_related("endpoint").first()


@transaction.atomic
def publish_profile(*, endpoint: ModelEndpoint, settings: ProfileSettings) -> AgentProfile:
    """Publishes a new version and retires the one before; the next turn uses it."""
    # Two publishers would hand out the same number: the tenant's row puts them in line.
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())
    last = AgentProfile.objects.aggregate(last=Max("version"))["last"] or 0
    AgentProfile.objects.filter(published_at__isnull=False, retired_at__isnull=True).update(
        retired_at=Now()
    )
    return AgentProfile.objects.create(
        version=last + 1,
        instructions=settings.instructions,
        tools=list(settings.tools),
        endpoint=endpoint,
        window=settings.window,
        max_steps=settings.max_steps,
        turn_seconds=settings.turn_seconds,
        published_at=Now(),
    )


def settings_of(profile: AgentProfile) -> ProfileSettings:
    """The settings of a version, for the next one to start from."""
    return ProfileSettings(
        instructions=profile.instructions,
        tools=tuple(profile.tools),
        window=profile.window,
        max_steps=profile.max_steps,
        turn_seconds=profile.turn_seconds,
    )
