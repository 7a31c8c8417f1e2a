"""The agent's versions as the web admin lists them."""

from agents.models import AgentProfile

NEWEST = 50


def versions(*, limit: int = NEWEST) -> list[AgentProfile]:
    """The newest versions with their endpoints, newest first."""
    rows = AgentProfile.objects.filter(published_at__isnull=False).select_related("endpoint")
    return list(rows.defer("endpoint__key_encrypted").order_by("-version")[:limit])


def version_before(profile: AgentProfile) -> AgentProfile | None:
    """The version that this one replaced."""
    older = AgentProfile.objects.filter(version__lt=profile.version, published_at__isnull=False)
    return older.select_related("endpoint").order_by("-version").first()
