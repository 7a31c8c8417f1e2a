"""Members' files before they are sent, and files that were sent and must go."""

from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import file_for_member, staged_file
from conversations.gates.uploads import MemberUploadView
from conversations.schema import FileOut, UploadFile
from conversations.services import edits, files
from conversations.shapes import file_json
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.schema import describe
from tenants.permissions import Permission


class FilesView(MemberUploadView):
    """A file comes first, the reply that names it second."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "upload_reply_file",
        "A picture or document to send with a reply within 24 hours; 10 MB at most.",
        body=UploadFile,
        answers={201: FileOut},
        problems=[429],
    )
    def post(self, request: Request) -> Response:
        return Response(file_json(files.keep(self.ready, by=self.member)), status=201)


class FileView(MemberApiView):
    """A file that was not sent yet."""

    permissions: ClassVar = {"DELETE": Permission.REPLY}

    @describe("delete_reply_file", "Throw away a file that was not sent.", answers={204: None})
    def delete(self, request: Request, file_id: UUID) -> Response:
        files.throw_away(staged_file(self.member, file_id))
        return Response(status=204)


class RedactFileView(MemberApiView):
    """A file that must not be had any more."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "redact_file",
        "Take a sent file out for good, with every copy of it in the customer's conversations.",
        body=Nothing,
        answers={200: FileOut},
    )
    def post(self, request: Request, file_id: UUID) -> Response:
        file = file_for_member(self.member, file_id)
        self.payload(Nothing)
        return Response(file_json(edits.redact_file(file, by=self.member)))
