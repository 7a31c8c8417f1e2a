"""Refuses to start what is not safe: `manage.py check --deploy` and every command ask these."""

from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

_LOOPBACK = {"127.0.0.1", "localhost", "[::1]", "testserver"}


@register(Tags.security)
def production_is_safe(**_: Any) -> list[CheckMessage]:
    """Errors, not warnings: `runserver`, `migrate` and the rest refuse to run with them."""
    return [*_secrets(), *_operators(), *_demo(), *_transport()]


@register(Tags.database)
def runtime_role_is_bound(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Asked by `check --database default`: a role past row security would void every wall."""
    if not databases or "default" not in databases:
        return []
    try:
        powers = runtime_powers()
    except DatabaseError as error:
        return [
            _error("E010", f"The database cannot be asked: {error}", "Start it, check its URL.")
        ]
    if not powers:
        return []
    how = "Use the role desk_app of devstack/bootstrap.sql: NOSUPERUSER NOBYPASSRLS, in no group."
    return [_error("E011", f"The database role {powers}.", how)]


def runtime_powers() -> str:
    """What the connected role may do past row security, in words; empty when nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_POWERS)
        row = cursor.fetchone()
    return row[0] or "" if row else ""


# desk_owner may look past the walls by its own policy; it runs migrations and nothing else.
_POWERS = """
SELECT concat_ws(', ',
  CASE WHEN rolsuper THEN 'is a superuser' END,
  CASE WHEN rolbypassrls THEN 'bypasses row security' END,
  CASE WHEN rolcreaterole THEN 'may create roles' END,
  CASE WHEN rolname <> 'desk_owner' AND EXISTS (
    SELECT FROM pg_auth_members WHERE member = pg_roles.oid) THEN 'is a member of another role' END)
FROM pg_roles WHERE rolname = current_user
"""


def _secrets() -> Iterator[CheckMessage]:
    if len(_secret_key()) < 50:
        yield _error(
            "E001",
            "TURNSTONE_SECRET_KEY is missing or shorter than 50 characters.",
            "Make one: python -c 'import secrets; print(secrets.token_urlsafe(50))'",
        )
    if not settings.ENCRYPTION_KEYS or not all(map(_is_key, settings.ENCRYPTION_KEYS)):
        yield _error(
            "E002",
            "TURNSTONE_ENCRYPTION_KEYS is missing, or one of them is not 32 bytes in base64.",
            "Make one: python -c 'import base64, os;"
            " print(base64.urlsafe_b64encode(os.urandom(32)).decode())'",
        )


def _operators() -> Iterator[CheckMessage]:
    if settings.METRICS_TOKEN and len(settings.METRICS_TOKEN) < 20:
        yield _error(
            "E007",
            "TURNSTONE_METRICS_TOKEN is shorter than 20 characters.",
            "Make one: python -c 'import secrets; print(secrets.token_urlsafe(30))'",
        )


def _demo() -> Iterator[CheckMessage]:
    public = sorted(set(settings.ALLOWED_HOSTS) - _LOOPBACK)
    if settings.DEBUG and not settings.DEMO:
        yield _error("E003", "TURNSTONE_DEBUG is on: pages of errors show secrets.", "Unset it.")
    if settings.DEMO and public:
        yield _error(
            "E004",
            f"TURNSTONE_DEMO is on and the desk answers to {', '.join(public)}.",
            "The demo's passwords are public. Unset TURNSTONE_DEMO, or allow loopback hosts only.",
        )


def _transport() -> Iterator[CheckMessage]:
    if not settings.DEMO and not settings.HTTPS:
        yield _error(
            "E005",
            "TURNSTONE_HTTPS is off: passwords and conversations would travel in the clear.",
            "Serve over HTTPS and unset it; behind a proxy also set TURNSTONE_BEHIND_PROXY=1.",
        )
    if any(host.startswith(("*", ".")) for host in settings.ALLOWED_HOSTS):
        yield _error(
            "E006",
            "TURNSTONE_ALLOWED_HOSTS holds a wildcard.",
            "Name each host: links in mails and redirects are made from the Host header.",
        )


def _secret_key() -> str:
    """Django raises when an empty one is read."""
    try:
        return str(settings.SECRET_KEY)
    except ImproperlyConfigured:
        return ""


def _is_key(text: str) -> bool:
    try:
        return len(urlsafe_b64decode(text.strip())) == 32
    except (NotBase64, ValueError):
        return False


def _error(number: str, message: str, hint: str) -> CheckMessage:
    return Error(message, hint=hint, id=f"desk.{number}")
