"""Widget keys and API keys: made once in the clear, kept sealed or hashed, revocable."""

from collections.abc import Sequence
from datetime import timedelta
from secrets import token_urlsafe

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from tenants import crypto
from tenants.models import ApiKey, Member, WidgetKey
from tenants.origins import clean_origins
from tenants.scoping import current_tenant_id
from tenants.services import audit
from tenants.services.audit import Who

_IDENTITY_SECRET = "widget_key.identity_secret"  # noqa: S105 - the name of a field


@transaction.atomic
def create_widget_key(
    *,
    label: str,
    by: Who,
    allowed_origins: Sequence[str] = (),
    identity_required: bool = False,
) -> tuple[WidgetKey, str]:
    """The key and its plain identity secret, which is shown once."""
    secret = token_urlsafe(32)
    key = WidgetKey.objects.create(
        key=crypto.new_token(crypto.WIDGET_KEY, current_tenant_id()),
        label=label,
        allowed_origins=clean_origins(allowed_origins),
        identity_secret=crypto.encrypt(secret, field=_IDENTITY_SECRET),
        identity_required=identity_required,
    )
    audit.record("widget_key.created", by=by, target=key)
    return key, secret


@transaction.atomic
def change_widget_key(
    key: WidgetKey,
    *,
    label: str,
    allowed_origins: Sequence[str],
    identity_required: bool,
    active: bool,
    by: Member,
) -> WidgetKey:
    """All settings of a widget key at once; a key that is switched off can be switched on again."""
    key.label, key.active, key.identity_required = label, active, identity_required
    key.allowed_origins = clean_origins(allowed_origins)
    key.save(update_fields=["label", "active", "identity_required", "allowed_origins"])
    detail = {
        "active": active,
        "identity_required": identity_required,
        "origins": len(key.allowed_origins),
    }
    audit.record("widget_key.changed", by=by, target=key, detail=detail)
    return key


@transaction.atomic
def rotate_identity_secret(key: WidgetKey, *, by: Member) -> str:
    """A new identity secret, shown once; identities signed with the old one fail from now on."""
    secret = token_urlsafe(32)
    key.identity_secret = crypto.encrypt(secret, field=_IDENTITY_SECRET)
    key.save(update_fields=["identity_secret"])
    audit.record("widget_key.secret_rotated", by=by, target=key)
    return secret


def identity_secret(key: WidgetKey) -> str:
    """What the tenant's own server signs identities with, in the clear: for verifying only."""
    return crypto.decrypt(key.identity_secret, field=_IDENTITY_SECRET)


@transaction.atomic
def create_api_key(member: Member, *, label: str, by: Who | None = None) -> tuple[ApiKey, str]:
    """The key and its token, which is shown once; it acts for `member` with that member's rights.

    `by` is the member too unless the desk itself made it.
    """
    token = crypto.new_token(crypto.API_KEY, current_tenant_id())
    key = ApiKey.objects.create(
        member=member,
        label=label,
        secret_hash=crypto.hash_token(token),
        prefix=crypto.secret_start(token),
    )
    audit.record("api_key.created", by=by or member, target=key)
    return key, token


@transaction.atomic
def revoke_api_key(key: ApiKey, *, by: Member) -> None:
    """Ends the key at once; ending it twice changes nothing."""
    if ApiKey.objects.filter(id=key.id, revoked_at__isnull=True).update(revoked_at=Now()):
        audit.record("api_key.revoked", by=by, target=key)


def revoke_api_keys_of(member: Member) -> int:
    """Ends all keys that act for a member who leaves; returns how many."""
    return ApiKey.objects.filter(member=member, revoked_at__isnull=True).update(revoked_at=Now())


def note_use(token: str) -> None:
    """Remembers, to the minute, that a key was used: one write a minute and not one a request."""
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - timedelta(minutes=1))
    ApiKey.objects.filter(stale, secret_hash=crypto.hash_token(token)).update(last_used_at=Now())
