"""The gate of uploads: who may is asked first, then the file is read, and stored at the end.

Looking through a file and making a picture anew takes a second: no scope is open meanwhile, so that
it holds neither a connection nor the session's lock.
"""

from abc import abstractmethod
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from rest_framework.parsers import MultiPartParser

from conversations.gates.customers import WidgetView, token_of_request, with_cors
from conversations.services.files import LARGEST, Ready, made_ready, too_large
from tenants.errors import Forbidden, InvalidInput, Unauthenticated
from tenants.gates import problems
from tenants.gates.api import ApiView, MemberApiView, member_of_request
from tenants.gates.bodies import refuse_unknown
from tenants.gates.problems import UnsupportedMediaType
from tenants.permissions import may
from tenants.rates import check_rate
from tenants.scoping import tenant_scope

# What stands around the file: its name, boundaries, headers.
LARGEST_UPLOAD = LARGEST + 64 * 1024
_MISSING = "Send one file in the field `file`, as multipart/form-data, uncompressed."


class _InMemory(MemoryFileUploadHandler):
    """Of any size: a file on the disk would outlive a killed process, and every erasure."""

    def handle_raw_input(self, *_: Any, **__: Any) -> None:
        self.activated = True


class _UploadView(ApiView):
    """`ready` is the file of a POST when the view runs."""

    parser_classes = [MultiPartParser]
    ready: Ready

    def dispatch(self, request: HttpRequest, *args: Any, **ids: Any) -> HttpResponseBase:
        if request.method == "POST":
            try:
                self.ready = self._received(request)
            except Exception as error:  # noqa: BLE001 - the translation raises what it does not know
                return problems.answer(error)
        return super().dispatch(request, *args, **ids)

    @abstractmethod
    def admit(self, request: HttpRequest) -> UUID:
        """Whose file it will be, or a refusal; inside the scope that the credentials claim."""

    def _received(self, request: HttpRequest) -> Ready:
        if _stated_length(request) > LARGEST_UPLOAD:
            raise too_large()
        request.upload_handlers = [_InMemory(request)]
        tenant_id = self.find_tenant(request)
        if tenant_id is None:
            raise Unauthenticated
        with tenant_scope(tenant_id):
            who = self.admit(request)
        check_rate("uploads", str(who), limit=settings.RATE_MESSAGES, seconds=60)
        with _file_of(request) as file:
            if (file.size or 0) > LARGEST:
                raise too_large()
            return made_ready(file.name or "", file.read())


class WidgetUploadView(_UploadView, WidgetView):
    """For customers."""

    def dispatch(self, request: HttpRequest, *args: Any, **ids: Any) -> HttpResponseBase:
        return with_cors(request, super().dispatch(request, *args, **ids))

    def admit(self, request: HttpRequest) -> UUID:
        return token_of_request(request).customer_id


class MemberUploadView(_UploadView, MemberApiView):
    """For members."""

    def admit(self, request: HttpRequest) -> UUID:
        member = member_of_request(request)
        if not may(member, self.permissions["POST"]):
            raise Forbidden
        return member.id


def _stated_length(request: HttpRequest) -> int:
    """What the head says; the server in front of the desk reads no further than that."""
    stated = request.META.get("CONTENT_LENGTH") or ""
    if not stated and "chunked" in request.headers.get("Transfer-Encoding", ""):
        # Without it Django reads nothing; config/limits.py counts what comes.
        request.META["CONTENT_LENGTH"] = str(LARGEST_UPLOAD)
    return int(stated) if stated.isdecimal() else 0


def _file_of(request: HttpRequest) -> "UploadedFile[bytes]":
    """The one file of the body, and nothing beside it."""
    if request.content_type != "multipart/form-data":
        raise UnsupportedMediaType(_MISSING)
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(_MISSING)
    try:
        refuse_unknown([*request.POST, *request.FILES], ["file"], "field")
    except MultiPartParserError as error:
        raise InvalidInput(_MISSING, errors={"file": [_MISSING]}) from error
    files = request.FILES.getlist("file")
    if len(files) != 1:
        raise InvalidInput(_MISSING, errors={"file": [_MISSING]})
    return files[0]
