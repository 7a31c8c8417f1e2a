"""What the tenants app does when Django says something."""

from typing import Any

from django.db import connections
from django.db.models.signals import post_migrate
from django.dispatch import receiver

__all__ = ["seal_migrations"]

# The runtime role may read which migrations ran and may not claim that one did.
_SEAL = "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON django_migrations FROM desk_app"


@receiver(post_migrate)
def seal_migrations(*, using: str, **_: Any) -> None:
    with connections[using].cursor() as cursor:
        cursor.execute(_SEAL)
