"""A tenant's specialists, as the web admin lists them."""

from agents.models import Specialist


def specialists() -> list[Specialist]:
    """Those that answer now, by name, with their endpoints."""
    rows = Specialist.objects.filter(retired_at__isnull=True).select_related("endpoint")
    return list(rows.defer("endpoint__key_encrypted").order_by("name"))


def versions_of(name: str) -> list[Specialist]:
    """Every version that ever answered by this name, newest first."""
    rows = Specialist.objects.filter(name=name).select_related("endpoint")
    return list(rows.defer("endpoint__key_encrypted").order_by("-version"))
