"""Customers' files, before they are sent."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import staged_file
from conversations.gates.customers import WidgetView
from conversations.gates.uploads import WidgetUploadView
from conversations.schema import FileOut, UploadFile
from conversations.services import files
from conversations.shapes import file_json
from tenants.gates.schema import describe


class FilesView(WidgetUploadView):
    """A file comes first, the message that names it second."""

    @describe(
        "upload_file",
        "A picture or document to send with a message within 24 hours; 10 MB at most.",
        body=UploadFile,
        answers={201: FileOut},
        problems=[429],
    )
    def post(self, request: Request) -> Response:
        return Response(file_json(files.keep(self.ready, by=self.customer)), status=201)


class FileView(WidgetView):
    """A file that was not sent yet."""

    @describe("delete_file", "Throw away a file that was not sent.", answers={204: None})
    def delete(self, request: Request, file_id: UUID) -> Response:
        files.throw_away(staged_file(self.customer, file_id))
        return Response(status=204)
