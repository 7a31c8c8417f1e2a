"""Answers that are streams of server-sent events."""

import re
from collections.abc import Mapping

from django.http import HttpRequest, StreamingHttpResponse

from conversations.streams import Seat
from conversations.watch import seated
from tenants.errors import InvalidInput
from tenants.gates.bodies import refuse_unknown
from tenants.gates.problems import MethodNotAllowed

_SEQ = re.compile(r"[0-9]{1,18}", re.ASCII)


def event_stream(seat: Seat, headers: Mapping[str, str] | None = None) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        seated(seat),
        content_type="text/event-stream; charset=utf-8",
        # The first is for nginx: it would keep the events until its buffer is full.
        headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store", **(headers or {})},
    )


def check_get(request: HttpRequest) -> None:
    if request.method != "GET":
        raise MethodNotAllowed("A stream is read with GET.")


def resume_after(request: HttpRequest, *, last_seq: int) -> int:
    """Where the client stood. A `Last-Event-ID` that this conversation never sent says nothing."""
    refuse_unknown(request.GET, ["after_seq"], "parameter")
    given = request.GET.get("after_seq", "")
    if given and not _SEQ.fullmatch(given):
        raise InvalidInput("Give after_seq as a whole number.", errors={"after_seq": ["0 or more"]})
    header = request.headers.get("Last-Event-ID", "")
    for text in (header, given):
        if _SEQ.fullmatch(text) and int(text) <= last_seq:
            return int(text)
    return 0
