"""Who a customer says to be, as signed by the tenant's own server: a JWT that lives an hour."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import jwt
from django.utils import timezone

from tenants.errors import Unauthenticated
from tenants.models import WidgetKey
from tenants.services.keys import identity_secret

_LONGEST_TOKEN = 8_000
_LIFETIME_SECONDS = 3600
_LEEWAY_SECONDS = 60
# What a signed claim may hold, in characters.
_LENGTHS = {"sub": 200, "name": 200, "email": 254, "locale": 12}
_MOST_ATTRIBUTES, _ATTRIBUTE_NAME, _ATTRIBUTE = 20, 40, 200


class InvalidIdentity(Unauthenticated):
    """The proof does not hold; nothing and nobody was touched."""

    code = "identity_invalid"
    title = "Your identity could not be confirmed"


@dataclass(frozen=True, slots=True)
class Identity:
    """What the tenant vouches for. Empty means that it said nothing."""

    subject: str
    name: str = ""
    email: str = ""
    locale: str = ""
    # Plain facts like the customer's plan; None when the claim is not there.
    attributes: dict[str, str | int | float | bool] | None = None


def verify(token: str, key: WidgetKey) -> Identity:
    """The identity of a JWT signed with the key's secret; raises `InvalidIdentity` otherwise.

    One algorithm, whatever the token's header says; an end within an hour; a minute for clocks.
    """
    if len(token) > _LONGEST_TOKEN:
        raise InvalidIdentity("The identity token is too long.")
    try:
        claims = jwt.decode(
            token,
            identity_secret(key),
            algorithms=["HS256"],
            leeway=_LEEWAY_SECONDS,
            options={"require": ["sub", "exp"], "verify_aud": False},
        )
    except jwt.InvalidTokenError as error:
        raise InvalidIdentity(
            "The identity token is not valid: it must be signed by the website's server with this"
            f" widget key's secret and not be expired ({type(error).__name__}). Reload the page."
        ) from error
    _check_lifetime(claims)
    if claims.get("aud", key.key) != key.key:
        raise InvalidIdentity("The identity token is meant for another widget key (aud).")
    return Identity(
        subject=_text(claims, "sub"),
        name=_text(claims, "name"),
        email=_text(claims, "email"),
        locale=_text(claims, "locale"),
        attributes=_attributes(claims),
    )


def _check_lifetime(claims: dict[str, Any]) -> None:
    """The JWT library has checked the types of both, and that neither is on the wrong side of now.

    Without `iat` the time to the end is all that can be measured, and clocks may differ.
    """
    start = claims.get("iat", timezone.now().timestamp() + _LEEWAY_SECONDS)
    if int(claims["exp"]) - start > _LIFETIME_SECONDS:
        raise InvalidIdentity("The identity token lives too long: exp is an hour after iat at most")


def _attributes(claims: dict[str, Any]) -> dict[str, Any] | None:
    given = claims.get("attributes")
    if given is None:
        return None
    plain = isinstance(given, dict) and len(given) <= _MOST_ATTRIBUTES
    if not plain or not all(_is_plain(name, value) for name, value in given.items()):
        raise InvalidIdentity(
            "The claim attributes of the identity token must be an object of at most"
            f" {_MOST_ATTRIBUTES} short texts, numbers or truth values."
        )
    return dict(given)


def _is_plain(name: str, value: object) -> bool:
    if not name.isprintable() or not 0 < len(name) <= _ATTRIBUTE_NAME:
        return False
    if isinstance(value, str):
        return value.isprintable() and len(value) <= _ATTRIBUTE
    return isinstance(value, bool | int) or (isinstance(value, float) and isfinite(value))


def _text(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name) or ""
    storable = isinstance(value, str) and value.isprintable()
    if not storable or len(value) > _LENGTHS[name] or (name == "sub" and not value.strip()):
        raise InvalidIdentity(
            f"The claim {name} of the identity token must be plain text of at most"
            f" {_LENGTHS[name]} characters."
        )
    return str(value)
