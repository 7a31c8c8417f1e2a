"""Secrets: sealed at rest for one tenant and one field, and tokens that name their tenant."""

import secrets
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tenants.scoping import current_tenant_id

WIDGET_KEY = "wk"
API_KEY = "ak"
INVITATION = "inv"
ERASURE_LINK = "er"

_KEY_ID, _NONCE = 4, 12
_SECRET_LENGTH = 43


class CannotDecrypt(Exception):
    """The bytes are of another tenant, another field or a key that is not configured any more."""


def encrypt(plain: str, *, field: str) -> bytes:
    """Seals `plain` for the open scope's tenant and this field; the first configured key writes."""
    key = first_key()
    nonce = secrets.token_bytes(_NONCE)
    sealed = AESGCM(key).encrypt(nonce, plain.encode(), _bound_to(field))
    return _key_id(key) + nonce + sealed


def decrypt(cipher: bytes | memoryview, *, field: str) -> str:
    """Opens what `encrypt` sealed; raises `CannotDecrypt` for another tenant or field."""
    sealed = bytes(cipher)
    nonce, body = sealed[_KEY_ID : _KEY_ID + _NONCE], sealed[_KEY_ID + _NONCE :]
    for key in _keys_named(sealed[:_KEY_ID]):
        try:
            return AESGCM(key).decrypt(nonce, body, _bound_to(field)).decode()
        except (InvalidTag, ValueError):
            continue
    raise CannotDecrypt(field)


def new_token(prefix: str, tenant_id: UUID) -> str:
    """`prefix_<tenant>_<secret>`: a gate learns the tenant to open before it verifies."""
    return f"{prefix}_{tenant_id.hex}_{secrets.token_urlsafe(32)}"


def parse_token(token: str, prefix: str) -> UUID | None:
    """The tenant that the token names, or None for anything that is no such token."""
    kind, _, rest = token.partition("_")
    tenant, _, secret = rest.partition("_")
    if kind != prefix or len(tenant) != 32 or len(secret) != _SECRET_LENGTH or not token.isascii():
        return None
    try:
        return UUID(hex=tenant)
    except ValueError:
        return None


def hash_token(token: str) -> bytes:
    """What is kept of a token. A plain hash serves: the token holds 256 random bits."""
    return sha256(token.encode()).digest()


def secret_start(token: str) -> str:
    """The first characters of a token's secret, by which a person tells tokens apart."""
    return token.split("_", 2)[2][:8]


def first_key() -> bytes:
    """The key that seals today."""
    return _keys()[0]


def _keys() -> list[bytes]:
    keys = [_key(text) for text in settings.ENCRYPTION_KEYS]
    if not keys:
        raise ImproperlyConfigured("Set TURNSTONE_ENCRYPTION_KEYS before secrets are stored.")
    return keys


def _key(text: str) -> bytes:
    key = urlsafe_b64decode(text.strip())
    if len(key) != 32:
        raise ImproperlyConfigured("Each of TURNSTONE_ENCRYPTION_KEYS holds 32 bytes in base64.")
    return key


def _keys_named(wanted: bytes) -> Iterator[bytes]:
    return (key for key in _keys() if _key_id(key) == wanted)


def _key_id(key: bytes) -> bytes:
    return sha256(b"key id" + key).digest()[:_KEY_ID]


def _bound_to(field: str) -> bytes:
    return current_tenant_id().bytes + field.encode()
