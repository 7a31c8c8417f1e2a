"""Reads of sensitive pages leave a line in the record: who looked at what."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import HttpResponse

from tenants.gates.members import MemberRequest
from tenants.services import audit

_View = Callable[..., HttpResponse]


def read_is_recorded(view: _View) -> _View:
    """Below `member_required`: a page that was shown is recorded by its name and the id in its URL.

    The same page again within a few minutes is the same reading: turning pages fills no record.
    """

    @wraps(view)
    def gate(request: MemberRequest, **ids: Any) -> HttpResponse:
        response = view(request, **ids)
        if response.status_code == 200 and request.method == "GET":
            about = next((value for value in ids.values() if isinstance(value, UUID)), None)
            audit.record_reading(view.__name__, by=request.member, about=about)
        return response

    return gate
