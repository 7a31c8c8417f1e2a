"""The environment variables that point the application at one data folder's services."""

import base64
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path


def for_demo(data: Path, urls: Mapping[str, str]) -> dict[str, str]:
    """Addresses, a secret of this data folder's own, and the switches of the demo."""
    static = data / "static"
    static.mkdir(exist_ok=True)  # unused while the finders serve, but WhiteNoise misses it loudly
    return {
        "TURNSTONE_LOG_LEVEL": os.environ.get("TURNSTONE_LOG_LEVEL", "WARNING"),
        **urls,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "TURNSTONE_DATA": str(data),
        "TURNSTONE_STATIC_ROOT": str(static),
        "TURNSTONE_DEBUG": "false",
        "TURNSTONE_DEMO": "true",
        "TURNSTONE_SECRET_KEY": _kept(data / "secret_key", lambda: secrets.token_urlsafe(50)),
        "TURNSTONE_ENCRYPTION_KEYS": _kept(data / "encryption_key", _new_encryption_key),
    }


def keep_private() -> None:
    """What this process and its children write from now on is for their account alone."""
    os.umask(0o077)


def as_owner(env: Mapping[str, str]) -> dict[str, str]:
    """The same, for a command of the role that owns the tables."""
    return {**env, "TURNSTONE_DB_ROLE": "owner"}


def _kept(path: Path, make: Callable[[], str]) -> str:
    """Made at the first call, the same ever after; readable by its owner alone."""
    if not path.exists():
        fresh = path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(make())
        fresh.rename(path)  # never half written
    return path.read_text()


def _new_encryption_key() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
