"""Exports, for the privacy desk and for the customer who asked."""

from typing import NamedTuple

from django.db.models import Sum

from conversations.models import Customer, ExportPart, ExportRequest
from conversations.selectors.customers import After, behind
from conversations.selectors.own_files import FOLDER, PICTURES
from tenants.models import Actor


def exports(*, after: After | None = None, limit: int = 50) -> list[ExportRequest]:
    """Newest first."""
    rows = ExportRequest.objects.select_related("customer")
    if after is not None:
        rows = rows.filter(behind("created_at", after))
    return list(rows.order_by("-created_at", "-id")[:limit])


def own_exports(customer: Customer) -> list[ExportRequest]:
    """What a customer has asked for, newest first; the last ten."""
    own = ExportRequest.objects.filter(customer=customer, by_kind=Actor.CUSTOMER)
    return list(own.order_by("-created_at", "-id")[:10])


def exports_of(customer: Customer) -> list[ExportRequest]:
    """All that were made of a customer, newest first, for the customer's page."""
    rows = ExportRequest.objects.filter(customer=customer)
    return list(rows.order_by("-created_at", "-id")[:20])


class FileOfExport(NamedTuple):
    """One file of a copy, or all files of one table."""

    code: str
    path: str
    rows: int
    size: int


def files_of(export: ExportRequest) -> list[FileOfExport]:
    """What lies in the copy, without opening anything of it."""
    pieces = ExportPart.objects.filter(export=export).values("name")
    summed = pieces.annotate(of_rows=Sum("rows"), of_bytes=Sum("size")).order_by("name")
    found: dict[str, FileOfExport] = {}
    for file in summed:
        code, path = _place_of(file["name"])
        known = found.get(code, FileOfExport(code, path, 0, 0))
        rows, size = known.rows + file["of_rows"], known.size + file["of_bytes"]
        found[code] = FileOfExport(code, path, rows, size)
    return list(found.values())


# As the stores are called: one line for all files.
_FOLDERS = {FOLDER: "contents of files", PICTURES: "small pictures"}


def _place_of(file: str) -> tuple[str, str]:
    """What `data/conversations.Message/000001.jsonl` or `messages.jsonl` holds, and where."""
    parts = file.split("/")
    if parts[0] in (FOLDER, PICTURES):
        return _FOLDERS[parts[0]], f"{parts[0]}/"
    if len(parts) > 1:
        return parts[1], "/".join(parts[:2]) + "/"
    return file.rsplit(".", 1)[0], file


def waiting_exports() -> list[ExportRequest]:
    """What is under way or can be fetched, soonest end first."""
    states = [
        ExportRequest.State.QUEUED,
        ExportRequest.State.BUILDING,
        ExportRequest.State.READY,
    ]
    rows = ExportRequest.objects.filter(state__in=states).select_related("customer")
    return list(rows.order_by("expires_at")[:50])
