"""Model endpoints: which model the tenant's agent speaks to, and with which key."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models.functions import Now

from agents.models import (
    AgentDraft,
    AgentProfile,
    Api,
    History,
    ModelEndpoint,
    Specialist,
    StrayId,
)
from agents.services.profiles import (
    ProfileSettings,
    current_profile,
    publish_profile,
    settings_of,
)
from tenants.addresses import AddressRefused, check_url
from tenants.crypto import decrypt, encrypt
from tenants.errors import Conflict, InvalidInput
from tenants.models import Member, Tenant
from tenants.scoping import current_tenant_id
from tenants.services import audit

_KEY_FIELD = "model_endpoint.key"
_ASKED = "The specialist {name} answers with this model. Give it another one, then delete this."
_LIMITS = {"max_output_tokens": (16, 200_000), "timeout_seconds": (5, 600)}


class EndpointInUse(Conflict):
    """Customers are answered with it."""

    code = "endpoint_in_use"
    detail = "This model answers your customers. Let another one answer first, then delete it."


@dataclass(frozen=True)
class EndpointSettings:
    """What names a model and its price, in money per million tokens."""

    api: str
    model: str
    base_url: str = ""
    key: str = ""
    input_price: Decimal | None = None
    output_price: Decimal | None = None


@dataclass(frozen=True)
class EndpointValues:
    """Everything of an endpoint that a member sets, beside its key."""

    name: str
    api: str
    model: str
    base_url: str = ""
    input_price: Decimal = Decimal(0)
    output_price: Decimal = Decimal(0)
    currency: str = "USD"
    max_output_tokens: int = 1024
    timeout_seconds: int = 60
    history: str = History.OWN
    stray_id: str = StrayId.RAISE


@transaction.atomic
def set_endpoint(settings: EndpointSettings, *, trusted: bool) -> AgentProfile:
    """Makes this the model that answers from the next turn on, and returns the new profile version.

    The same model at the same address keeps its row, with the key as given now: without one the
    endpoint has none, and no key of the environment takes its place. `trusted` is for operators:
    such an endpoint may stand on their own network.
    """
    _refuse(_mistakes(settings))
    return _answers_with(_stored(settings, trusted=trusted))


@transaction.atomic
def add_endpoint(values: EndpointValues, *, key: str, by: Member) -> ModelEndpoint:
    """A new endpoint at a public address; it answers nobody before it is chosen."""
    _refuse(
        _mistakes(values)
        | _history_mistakes(values)
        | _address_mistakes(values)
        | _name_mistakes(values.name)
    )
    endpoint = ModelEndpoint.objects.create(**asdict(values), key_encrypted=_sealed(key))
    detail = {"api": endpoint.api, "key": bool(key), "history": endpoint.history}
    audit.record("endpoint.added", by=by, target=endpoint, detail=detail)
    return endpoint


@transaction.atomic
def change_endpoint(
    endpoint: ModelEndpoint, values: EndpointValues, *, key: str | None, by: Member
) -> ModelEndpoint:
    """Sets everything anew; `key` None keeps the stored one, empty removes it.

    A key goes to the address that it was entered for and to no other: whoever may change an address
    must not be able to read a key by it. An address of the operator's own network loses that
    privilege when it is changed.
    """
    moved = (endpoint.api, endpoint.base_url) != (values.api, values.base_url)
    errors = _mistakes(values) | _history_mistakes(values)
    errors |= _name_mistakes(values.name, but=endpoint)
    if moved or not endpoint.trusted:
        errors |= _address_mistakes(values)
    if moved and key is None and endpoint.key_encrypted:
        errors["key"] = ["The address has changed. Enter its key, or remove the old one."]
    _refuse(errors)
    changed = sorted(
        name for name, value in asdict(values).items() if _differs(endpoint, name, value)
    )
    for name, value in asdict(values).items():
        setattr(endpoint, name, value)
    endpoint.trusted = endpoint.trusted and not moved
    if key is not None:
        endpoint.key_encrypted = _sealed(key)
    endpoint.save(update_fields=[*asdict(values), "trusted", "key_encrypted"])
    act = "kept" if key is None else "set" if key else "removed"
    detail = {"fields": changed, "key": act, "history": endpoint.history}
    audit.record("endpoint.changed", by=by, target=endpoint, detail=detail)
    return endpoint


@transaction.atomic
def choose_endpoint(endpoint: ModelEndpoint, *, by: Member) -> AgentProfile:
    """From the next turn on this endpoint answers: a new profile version, else as before."""
    profile = _answers_with(endpoint)
    audit.record("endpoint.chosen", by=by, target=endpoint, detail={"version": profile.version})
    return profile


@transaction.atomic
def delete_endpoint(endpoint: ModelEndpoint, *, by: Member) -> None:
    """Gone from every list, with its key; what it answered and which versions named it stays.

    Refused while the published version or a specialist uses it. A draft that names it needs another
    model.
    """
    # A version that is being published with it would be left without a model.
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())
    endpoint.refresh_from_db()
    if endpoint.deleted_at is not None:
        return
    profile = current_profile()
    if profile is not None and profile.endpoint_id == endpoint.id:
        raise EndpointInUse
    asked = Specialist.objects.filter(endpoint=endpoint, retired_at__isnull=True).first()
    if asked is not None:
        raise EndpointInUse(_ASKED.format(name=asked.name))
    AgentDraft.objects.filter(endpoint=endpoint).update(endpoint=None)
    had_key = endpoint.key_encrypted is not None
    endpoint.key_encrypted, endpoint.options, endpoint.trusted = None, {}, False
    endpoint.deleted_at = Now()
    endpoint.save(update_fields=["key_encrypted", "options", "trusted", "deleted_at"])
    audit.record("endpoint.deleted", by=by, target=endpoint, detail={"key": had_key})


def endpoint_key(endpoint: ModelEndpoint) -> str:
    """The key in the clear; empty when the endpoint has none."""
    sealed = endpoint.key_encrypted
    return decrypt(bytes(sealed), field=_KEY_FIELD) if sealed else ""


def _answers_with(endpoint: ModelEndpoint) -> AgentProfile:
    before = current_profile()
    kept = settings_of(before) if before is not None else ProfileSettings()
    return publish_profile(endpoint=endpoint, settings=kept)


def _sealed(key: str) -> bytes | None:
    return encrypt(key, field=_KEY_FIELD) if key else None


def _differs(endpoint: ModelEndpoint, name: str, value: Any) -> bool:
    return bool(getattr(endpoint, name) != value)


def _refuse(errors: dict[str, list[str]]) -> None:
    if errors:
        told = " ".join(text for texts in errors.values() for text in texts)
        raise InvalidInput(told, errors=errors)


def _mistakes(settings: EndpointSettings | EndpointValues) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    if settings.api not in Api.values:
        errors["api"] = [f"Choose one of: {', '.join(Api.values)}."]
    if not settings.model.strip():
        errors["model"] = ["Name the model as its provider spells it."]
    if settings.base_url and not _is_address(settings.base_url):
        errors["base_url"] = ["Give a full address that begins with http:// or https://."]
    for name in ("input_price", "output_price"):
        if (getattr(settings, name) or 0) < 0:
            errors[name] = ["A price cannot be negative."]
    for name, (least, most) in _LIMITS.items():
        if not least <= getattr(settings, name, least) <= most:
            errors[name] = [f"Choose a number from {least} to {most:,}."]
    return errors


def _history_mistakes(values: EndpointValues) -> dict[str, list[str]]:
    if values.history == History.OWN or values.api == Api.RESPONSES:
        return {}
    return {"history": ["Only the Responses protocol has such a history. Choose “The desk”."]}


def _address_mistakes(values: EndpointValues) -> dict[str, list[str]]:
    """A member's endpoint stands at a public address; only operators may name another."""
    if not values.base_url:
        needed = values.api == Api.OLLAMA
        return {"base_url": ["Give the server's address."]} if needed else {}
    try:
        check_url(values.base_url)
    except AddressRefused as refusal:
        return {"base_url": [refusal.detail]}
    return {}


def _name_mistakes(name: str, *, but: ModelEndpoint | None = None) -> dict[str, list[str]]:
    if not name.strip():
        return {"name": ["Give a name by which to tell it apart."]}
    # Two members could take the same name: the tenant's row puts them in line.
    Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())
    holder = ModelEndpoint.objects.filter(name=name, deleted_at__isnull=True).first()
    return {} if holder in {None, but} else {"name": ["This name is taken. Choose another."]}


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _stored(settings: EndpointSettings, *, trusted: bool) -> ModelEndpoint:
    values: dict[str, Any] = {"key_encrypted": _sealed(settings.key), "trusted": trusted}
    prices = {"input_price": settings.input_price, "output_price": settings.output_price}
    values |= {name: price for name, price in prices.items() if price is not None}
    identity = {"api": settings.api, "base_url": settings.base_url, "model": settings.model}
    rows = ModelEndpoint.objects.filter(**identity, deleted_at__isnull=True)
    endpoint = rows.order_by("created_at").first()
    if endpoint is None:
        return ModelEndpoint.objects.create(name=_free_name(settings), **identity, **values)
    for name, value in values.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=list(values))
    return endpoint


def _free_name(settings: EndpointSettings) -> str:
    """The model's name, with a number where another address has it already."""
    base = settings.model[:70]
    rows = ModelEndpoint.objects.filter(name__startswith=base, deleted_at__isnull=True)
    taken = set(rows.values_list("name", flat=True))
    names = (base if number == 1 else f"{base} ({number})" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
