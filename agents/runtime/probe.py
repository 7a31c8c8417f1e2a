"""Whether an endpoint works: one small question, and an answer that one can act on."""

import asyncio
import socket
import ssl
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any
from uuid import UUID

from agent_framework import Message
from django.utils.translation import gettext as _

from agents.access import endpoint_for_member
from agents.models import ModelEndpoint
from agents.runtime.clients import ClientFactory, ClientSpec, open_client
from agents.runtime.errors import chain, turn_error
from agents.runtime.facts import client_spec
from agents.runtime.loop import run_here
from agents.runtime.options import default_options
from agents.services.contract import TurnError
from tenants.addresses import NameUnknown
from tenants.models import Member
from tenants.scoping import tenant_scope

WORKS = "works"
PROBE_SECONDS = 20.0
_TOKENS = 16


@dataclass(frozen=True)
class Diagnosis:
    """What a test of an endpoint found: a stable code, words for people, and the provider's own."""

    code: str
    text: str
    milliseconds: int
    detail: str = ""

    @property
    def works(self) -> bool:
        return self.code == WORKS


class NotThisProtocol(Exception):
    """Something answered, but nothing that this protocol knows."""


def probe_endpoint(member: Member, endpoint_id: UUID) -> tuple[ModelEndpoint, Diagnosis]:
    """Tests a member's endpoint; its scope is closed before the first byte goes out."""
    with tenant_scope(member.tenant.id):
        endpoint = endpoint_for_member(member, endpoint_id)
        spec = client_spec(endpoint, locale="en", max_steps=1)
    return endpoint, probe(spec)


def probe(spec: ClientSpec, *, client: ClientFactory | None = None) -> Diagnosis:
    """Asks for one word, streamed as in a turn. Never raises; opens no scope and stores nothing."""
    started = monotonic()
    seconds = min(spec.timeout_seconds, PROBE_SECONDS)
    small = replace(spec, max_output_tokens=_TOKENS, timeout_seconds=seconds)
    try:
        run_here(_ask(small, client or open_client, seconds))
    except Exception as error:  # noqa: BLE001 - every fault is a finding
        return _failed(error, spec, _since(started))
    spent = _since(started)
    text = _("It works: the model answered in {n} ms.").format(n=spent)
    return Diagnosis(WORKS, text, spent)


async def _ask(spec: ClientSpec, factory: ClientFactory, seconds: float) -> None:
    async with asyncio.timeout(seconds), factory(spec) as client:
        options = default_options(spec, has_tools=False)
        question = [Message("user", ["Answer with one word: ready?"])]
        answered = False
        async for update in client.get_response(question, stream=True, options=options):
            answered = answered or bool(update.contents or update.finish_reason)
    if not answered:
        raise NotThisProtocol("The server answered without a single event of this protocol.")


def _since(started: float) -> int:
    return round((monotonic() - started) * 1000)


def _failed(error: Exception, spec: ClientSpec, spent: int) -> Diagnosis:
    known = turn_error(error, secret=spec.api_key)
    code = _cause(error, known)
    return Diagnosis(code, _words(code, known), spent, known.detail)


def _cause(error: Exception, known: TurnError) -> str:
    for link in chain(error):
        for kinds, code in _KINDS:
            if isinstance(link, kinds):
                return code
    if known.provider_status == 404:
        return "model_unknown" if "model" in known.detail.lower() else "path_unknown"
    return "not_this_protocol" if known.code in _STRANGE else known.code


_KINDS: tuple[tuple[Any, str], ...] = (
    ((NameUnknown, socket.gaierror), "dns"),
    (ssl.SSLError, "tls"),
    (NotThisProtocol, "not_this_protocol"),
)
# What the SDKs raise when they read something that they do not know.
_STRANGE = frozenset({"internal", "provider_error", "cut_stream"})


def _words(code: str, known: TurnError) -> str:
    words = {
        "dns": _("The server's name is not known. Check the spelling of the base URL."),
        "tls": _(
            "The server's certificate does not hold for this name. Check the base URL, or ask the"
            " server's operator."
        ),
        "connection": _("Nobody answers at this address. Check the base URL and that it runs."),
        "timeout": _("No answer in time. Try again, or raise the endpoint's time limit."),
        "provider_auth": _("The server refuses the key. Enter a valid key for this model."),
        "provider_quota": _("The account behind the key has no credit left. Top it up."),
        "provider_rate_limited": _("The server is reached, but asks to slow down. Try later."),
        "provider_unavailable": _("The server reports a fault of its own. Try again later."),
        "model_unknown": _("The server does not know this model. Check the model's name."),
        "path_unknown": _(
            "There is no such path on the server. Check the base URL; it often ends in /v1."
        ),
        "not_this_protocol": _(
            "Something answers there, but not in this protocol. Choose another protocol or base"
            " URL."
        ),
        "address_refused": known.detail,
    }
    return words.get(code, _("The server refuses the request. Its own words stand below."))
