"""Sessions of customers in the widget: started, resumed, raised to a proven identity, ended."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Least, Now
from django.utils import timezone

from conversations.identity import Identity, InvalidIdentity, verify
from conversations.models import Conversation, Customer, CustomerIdentity, WidgetToken
from conversations.services import holds
from conversations.services.merging import move_conversations, move_unsent_files, revoke
from tenants.crypto import hash_token, new_token
from tenants.models import WidgetKey
from tenants.scoping import current_tenant_id

WIDGET_TOKEN = "wt"  # noqa: S105 - a prefix
_IDLE = timedelta(hours=24)
_LONGEST = timedelta(days=30)
_SEEN_EVERY = timedelta(hours=1)


class IdentityRequired(InvalidIdentity):
    """The tenant lets only its own signed-in customers write here."""

    code = "identity_required"
    title = "Please sign in first"
    detail = "This desk answers signed-in customers only. Sign in on the website and try again."


class Session(NamedTuple):
    """An open session; `token` is known to the customer's browser only."""

    token: str
    customer: Customer
    verified: bool
    expires_at: datetime
    created: bool


@transaction.atomic
def start_session(
    key: WidgetKey,
    *,
    old_token: str | None = None,
    identity: str | None = None,
    locale: str = "",
) -> Session:
    """Resume the old session or start one; a valid identity makes it that person's.

    Only after proof do an anonymous customer's conversations move to the proven one, and the
    anonymous tokens die. Raises `InvalidIdentity` or `IdentityRequired`, and then changes nothing.
    A new visitor is told what the desk says in `locale`, or else in the tenant's language.
    """
    proven = verify(identity, key) if identity is not None else None
    old = _live_token(key, old_token)
    if proven is None:
        return _without_proof(key, old, old_token, locale)
    customer = _customer_of(proven)
    if old is not None and old.customer_id == customer.id:
        return _resumed(old, old_token)
    if old is not None and old.verified:
        revoke(WidgetToken.objects.filter(pk=old.pk))  # somebody else at the same computer
    elif old is not None:
        anonymous = old.customer
        revoke(WidgetToken.objects.filter(customer=anonymous))
        talks = Conversation.objects.filter(customer=anonymous)
        holds.carry(anonymous, to=customer)
        move_conversations(talks, source=anonymous, to=customer)
        move_unsent_files(anonymous, to=customer)
    return _issued(key, customer, verified=True)


def tokens_in_use() -> QuerySet[WidgetToken]:
    return WidgetToken.objects.filter(
        revoked_at__isnull=True, expires_at__gt=Now(), widget_key__active=True
    )


def is_in_use(token: WidgetToken) -> bool:
    """The same for a row at hand."""
    alive = token.revoked_at is None and token.expires_at > timezone.now()
    return alive and token.widget_key.active


def keep_alive(token: WidgetToken) -> None:
    """A token in use lives a day longer, within its thirty days; written once an hour at most.

    So is that its customer was here: who comes is not idle.
    """
    longest = token.created_at + _LONGEST
    if token.expires_at < min(timezone.now() + _IDLE - timedelta(hours=1), longest):
        WidgetToken.objects.filter(pk=token.pk).update(expires_at=Least(Now() + _IDLE, longest))
        token.refresh_from_db(fields=["expires_at"])
    _seen(token.customer)


def is_known(customer: Customer) -> bool:
    """Whether a customer at hand has not been idle for longer than the tenant keeps people."""
    if customer.expires_at is None or customer.expires_at > timezone.now():
        return True
    return Customer.objects.filter(pk=customer.pk).exists()


def _seen(customer: Customer) -> None:
    """Lets a row alone that somebody else has locked: the next request says the same."""
    now = timezone.now()
    if customer.last_seen_at is not None and customer.last_seen_at > now - _SEEN_EVERY:
        return
    free = Customer.stored.filter(pk=customer.pk).select_for_update(skip_locked=True, no_key=True)
    Customer.stored.filter(pk__in=free.values("pk")).update(
        last_seen_at=Now(), expires_at=None, expires_by=None
    )
    customer.last_seen_at = now


def _without_proof(
    key: WidgetKey, old: WidgetToken | None, old_token: str | None, locale: str
) -> Session:
    if old is not None and (old.verified or not key.identity_required):
        return _resumed(old, old_token)
    if key.identity_required:
        raise IdentityRequired
    fresh = Customer.objects.create(locale=locale, last_seen_at=timezone.now())
    return _issued(key, fresh, verified=False)


def _live_token(key: WidgetKey, old_token: str | None) -> WidgetToken | None:
    """Locked: a post that is under way with it is finished first, and none begins afterwards."""
    if not old_token:
        return None
    token = (
        tokens_in_use()
        .filter(token_hash=hash_token(old_token), widget_key=key)
        .select_for_update(no_key=True, of=("self",))
        .select_related("customer")
        .first()
    )
    return token if token is not None and is_known(token.customer) else None


def _resumed(token: WidgetToken, plain: str | None) -> Session:
    keep_alive(token)
    return Session(plain or "", token.customer, token.verified, token.expires_at, created=False)


def _issued(key: WidgetKey, customer: Customer, *, verified: bool) -> Session:
    plain = new_token(WIDGET_TOKEN, current_tenant_id())
    _seen(customer)
    token = WidgetToken.objects.create(
        widget_key=key,
        customer=customer,
        token_hash=hash_token(plain),
        verified=verified,
        expires_at=Now() + _IDLE,
    )
    token.refresh_from_db(fields=["expires_at"])
    return Session(plain, customer, verified, token.expires_at, created=True)


def _customer_of(proven: Identity) -> Customer:
    """The customer of the proven subject, made at the first sight of it and kept up to date."""
    known = _identity(proven.subject)
    if known is None:
        fresh = Customer.objects.create(last_seen_at=timezone.now())
        # Two first visits at once: one of the rows is stored, and both sessions go by that one.
        CustomerIdentity.objects.bulk_create(
            [CustomerIdentity(customer=fresh, subject=proven.subject, verified_at=Now())],
            ignore_conflicts=True,
        )
        known = CustomerIdentity.objects.select_related("customer").get(subject=proven.subject)
        if known.customer_id != fresh.id:
            fresh.delete()
    return _updated(known.customer, proven)


def _identity(subject: str) -> CustomerIdentity | None:
    """Whoever was away for longer than the tenant keeps people comes as somebody new."""
    rows = CustomerIdentity.objects.select_related("customer").filter(subject=subject)
    known = rows.first()
    if known is not None and not is_known(known.customer):
        rows.delete()
        return None
    return known


def _updated(customer: Customer, proven: Identity) -> Customer:
    claims = {"name": proven.name, "email": proven.email, "locale": proven.locale}
    changed: dict[str, Any] = {name: value for name, value in claims.items() if value}
    if proven.attributes is not None:
        changed["attributes"] = proven.attributes
    if "email" in changed:
        changed["email_verified"] = True  # the tenant's own server vouches for it
    fields = [name for name, value in changed.items() if getattr(customer, name) != value]
    for name in fields:
        setattr(customer, name, changed[name])
    if fields:
        customer.save(update_fields=fields)
    return customer
