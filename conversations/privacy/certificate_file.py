"""Certificates as files that prove themselves: each carries what was signed, and the signature."""

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from typing import NamedTuple

from django.template.loader import render_to_string

from conversations.models import Certificate
from conversations.privacy.certificate_words import RECIPE, said
from tenants import signing

_MARK = "turnstone-certificate:"
_SEALED = re.compile(rb"turnstone-certificate:([A-Za-z0-9+/=]+)")


class NoCertificate(Exception):
    """The file carries no certificate."""


class Sealed(NamedTuple):
    """What a file carries: the signed text, byte for byte, and who signed it."""

    body: str
    signature: str
    public_key: str

    @property
    def holds(self) -> bool:
        """Whether the signature fits; whose key it is must be asked of a list of known keys."""
        signed = signing.Signature(self.public_key, self.signature)
        return signing.holds(self.body.encode(), signed)


def sealed(certificate: Certificate) -> Sealed:
    return Sealed(certificate.body, certificate.signature, certificate.public_key)


def as_json(certificate: Certificate) -> bytes:
    return json.dumps(_fields(sealed(certificate)), ensure_ascii=False, indent=2).encode() + b"\n"


def as_html(certificate: Certificate) -> bytes:
    """One page without anything from elsewhere, to keep and to print."""
    words = said(certificate.body, certificate.public_key)
    context = {"said": words, "mark": _mark(certificate), "signature": certificate.signature}
    context |= {"recipe": RECIPE}
    return render_to_string("console/privacy/certificate_file.html", context).encode()


def as_pdf(certificate: Certificate) -> bytes:
    # Only who asks for a print loads what draws it: it is larger than the whole web process.
    from conversations.privacy.certificate_pdf import draw  # noqa: PLC0415

    drawn = draw(said(certificate.body, certificate.public_key), certificate.signature)
    # A comment behind the end, which readers of PDF skip.
    return drawn + f"\n%{_mark(certificate)}\n".encode()


def read(data: bytes) -> Sealed:
    """The certificate in a file of any of the three kinds; raises `NoCertificate`."""
    found = _SEALED.search(data)
    try:
        fields = json.loads(b64decode(found[1], validate=True) if found else data)
        return Sealed(fields["body"], fields["signature"], fields["public_key"])
    except (ValueError, NotBase64, KeyError, TypeError) as error:
        raise NoCertificate from error


def _mark(certificate: Certificate) -> str:
    fields = json.dumps(_fields(sealed(certificate)))
    return _MARK + b64encode(fields.encode()).decode()


def _fields(one: Sealed) -> dict[str, str]:
    return {"algorithm": "Ed25519", **one._asdict()}
