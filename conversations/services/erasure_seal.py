"""What the proof of an erasure has to look for, encrypted until it has looked."""

import json
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from conversations.models import ErasureRequest
from tenants import crypto

_FIELD = "erasure_request.sealed"


@dataclass(frozen=True, slots=True)
class Sealed:
    """Whose erasure it is: ids, and words. `whole`: nothing of the person is under a hold.

    `shared` are those words that somebody in another tenant has too.
    """

    customer: UUID
    talks: list[UUID] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    whole: bool = True


def seal(what: Sealed) -> bytes:
    document = {
        "customer": str(what.customer),
        "talks": [str(one) for one in what.talks],
        "words": what.words,
        "own": what.own,
        "shared": what.shared,
        "whole": what.whole,
    }
    return crypto.encrypt(json.dumps(document), field=_FIELD)


def unseal(request: ErasureRequest) -> Sealed:
    document: dict[str, Any] = json.loads(
        crypto.decrypt(cast("bytes", request.sealed), field=_FIELD)
    )
    return Sealed(
        customer=UUID(document["customer"]),
        talks=[UUID(one) for one in document["talks"]],
        words=document["words"],
        own=document["own"],
        shared=document["shared"],
        whole=document["whole"],
    )
