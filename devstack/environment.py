"""The environment variables that point the application at one data folder's services."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path


def for_demo(data: Path, urls: Mapping[str, str]) -> dict[str, str]:
    """Addresses, a secret of this data folder's own, and the switches of the demo."""
    return {
        **urls,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "TURNSTONE_DATA": str(data),
        "TURNSTONE_DEBUG": "false",
        "TURNSTONE_DEMO": "true",
        "TURNSTONE_SECRET_KEY": secret_key(data),
    }


def as_owner(env: Mapping[str, str]) -> dict[str, str]:
    """The same, for a command that migrates."""
    return {**env, "TURNSTONE_DB_ROLE": "owner"}


def secret_key(data: Path) -> str:
    """Made at the first call, the same ever after; readable by its owner alone."""
    path = data / "secret_key"
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
    return path.read_text()


def without_services(env: Mapping[str, str]) -> dict[str, str]:
    """What a child process inherits when it shall start services of its own."""
    named = ("DATABASE_URL", "OWNER_DATABASE_URL", "REDIS_URL")
    return {name: value for name, value in env.items() if name not in named}
