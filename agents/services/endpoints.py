"""Model endpoints: which model the tenant's agent speaks to, and with which key."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction

from agents.models import AgentProfile, Api, ModelEndpoint
from agents.services.profiles import (
    ProfileSettings,
    current_profile,
    publish_profile,
    settings_of,
)
from tenants.crypto import decrypt, encrypt
from tenants.errors import InvalidInput

_KEY_FIELD = "model_endpoint.key"


@dataclass(frozen=True)
class EndpointSettings:
    """What names a model and its price, in money per million tokens."""

    api: str
    model: str
    base_url: str = ""
    key: str = ""
    input_price: Decimal | None = None
    output_price: Decimal | None = None


@transaction.atomic
def set_endpoint(settings: EndpointSettings, *, trusted: bool) -> AgentProfile:
    """Makes this the model that answers from the next turn on, and returns the new profile version.

    The same model at the same address keeps its row, with the key as given now: without one the
    endpoint has none, and no key of the environment takes its place. `trusted` is for operators:
    such an endpoint may stand on their own network.
    """
    _check(settings)
    endpoint = _stored(settings, trusted=trusted)
    before = current_profile()
    kept = settings_of(before) if before is not None else ProfileSettings()
    return publish_profile(endpoint=endpoint, settings=kept)


def endpoint_key(endpoint: ModelEndpoint) -> str:
    """The key in the clear; empty when the endpoint has none."""
    sealed = endpoint.key_encrypted
    return decrypt(bytes(sealed), field=_KEY_FIELD) if sealed else ""


def _check(settings: EndpointSettings) -> None:
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
    if errors:
        raise InvalidInput(
            " ".join(text for texts in errors.values() for text in texts), errors=errors
        )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _stored(settings: EndpointSettings, *, trusted: bool) -> ModelEndpoint:
    values: dict[str, Any] = {
        "key_encrypted": encrypt(settings.key, field=_KEY_FIELD) if settings.key else None,
        "trusted": trusted,
    }
    prices = {"input_price": settings.input_price, "output_price": settings.output_price}
    values |= {name: price for name, price in prices.items() if price is not None}
    identity = {"api": settings.api, "base_url": settings.base_url, "model": settings.model}
    endpoint = ModelEndpoint.objects.filter(**identity).order_by("created_at").first()
    if endpoint is None:
        return ModelEndpoint.objects.create(name=_free_name(settings), **identity, **values)
    for name, value in values.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=list(values))
    return endpoint


def _free_name(settings: EndpointSettings) -> str:
    """The model's name, with a number where another address has it already."""
    base = settings.model[:70]
    taken = set(ModelEndpoint.objects.filter(name__startswith=base).values_list("name", flat=True))
    names = (base if number == 1 else f"{base} ({number})" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
