"""Legal holds, for programs."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.access import hold_for_member, subject_for_member
from conversations.api.privacy_serializers import HoldOut, HoldsOut, PlaceHold
from conversations.models import LegalHold
from conversations.selectors.holds import holds
from conversations.services import holds as services
from tenants.gates.api import MemberApiView
from tenants.gates.paging import PageQuery, Place, page, read_cursor
from tenants.gates.schema import describe
from tenants.permissions import Permission


class HoldsView(MemberApiView):
    """All holds, the released ones too."""

    permissions: ClassVar = {"GET": Permission.PRIVACY, "POST": Permission.PRIVACY}

    @describe(
        "list_legal_holds",
        "Legal holds, newest first.",
        query=PageQuery,
        answers={200: HoldsOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(PageQuery)
        after = read_cursor(query.get("cursor"), sort="holds")
        found = holds(after=after, limit=query["limit"] + 1)
        return Response(
            page(
                found,
                query["limit"],
                sort="holds",
                place_of=lambda row: Place(row.created_at, row.id),
                shape=hold_json,
            )
        )

    @describe(
        "place_legal_hold",
        "From now on nothing of it is deleted, whoever asks and whatever has expired.",
        body=PlaceHold,
        answers={201: HoldOut},
        problems=(409,),
    )
    def post(self, request: Request) -> Response:
        asked = self.payload(PlaceHold)
        subject = subject_for_member(self.member, asked["scope"], asked["subject"])
        hold = services.place(subject, reason=asked["reason"], by=self.member)
        return Response(hold_json(hold), status=201)


class HoldView(MemberApiView):
    """One hold."""

    permissions: ClassVar = {"DELETE": Permission.PRIVACY}

    @describe(
        "release_legal_hold",
        "The hold goes on for seven days and ends then.",
        answers={200: HoldOut},
    )
    def delete(self, request: Request, hold_id: UUID) -> Response:
        hold = hold_for_member(self.member, hold_id)
        return Response(hold_json(services.release(hold, by=self.member)))


def hold_json(row: LegalHold) -> dict[str, Any]:
    return {
        "id": row.id,
        "scope": row.scope,
        "subject": row.subject_id,
        "reason": row.reason,
        "placed_by": row.placed_by.name if row.placed_by else None,
        "created_at": row.created_at,
        "released_at": row.released_at,
        "ends_at": row.ends_at,
    }
