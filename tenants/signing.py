"""Signatures that anybody can check with a public key: Ed25519, from the installation's keys.

The private keys are derived from TURNSTONE_ENCRYPTION_KEYS and lie in no table, dump or file.
"""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tenants import crypto

# Another purpose, another key: what signs tells nothing of what seals.
_PURPOSE = b"turnstone certificate signing 1"


class Signature(NamedTuple):
    """Who signed, and the signature; both in base64."""

    public_key: str
    value: str


def sign(body: bytes) -> Signature:
    """Signs with the key of the first configured encryption key."""
    key = _signing_key(crypto.first_key())
    return Signature(_public_of(key), b64encode(key.sign(body)).decode())


def own_public_key() -> str:
    """With which this installation's signatures are checked today."""
    return _public_of(_signing_key(crypto.first_key()))


def holds(body: bytes, signature: Signature) -> bool:
    """Whether the owner of that public key signed exactly these bytes."""
    try:
        key = Ed25519PublicKey.from_public_bytes(b64decode(signature.public_key, validate=True))
        key.verify(b64decode(signature.value, validate=True), body)
    except (InvalidSignature, NotBase64, ValueError):
        return False
    return True


def key_id(public_key: str) -> str:
    """A short name of a public key, for people to compare."""
    return sha256(b64decode(public_key)).hexdigest()[:16]


def _signing_key(secret: bytes) -> Ed25519PrivateKey:
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(secret)
    return Ed25519PrivateKey.from_private_bytes(seed)


def _public_of(key: Ed25519PrivateKey) -> str:
    return b64encode(key.public_key().public_bytes_raw()).decode()
