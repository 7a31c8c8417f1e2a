"""Members' streams: one conversation with its private lines, or the inbox."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from conversations.access import conversation_for_member
from conversations.gates.sse import check_get, event_stream, resume_after
from conversations.live import Listener, inbox_channel, talk_channel
from conversations.streams import Pass, Seat, in_short_scope, in_thread
from tenants.access import api_key_by_token
from tenants.errors import Forbidden, Unauthenticated
from tenants.gates import problems
from tenants.gates.api import bearer, member_of_request, tenant_of_member
from tenants.gates.bodies import refuse_unknown
from tenants.models import Member
from tenants.permissions import Permission, may


async def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponseBase:
    def seat() -> Seat:
        member, opened_with = _enter(request)
        row = conversation_for_member(member, conversation_id)
        return Seat(
            tenant=member.tenant,
            opened_with=opened_with,
            listener=Listener(talk_channel(row.id), private=True),
            conversation_id=row.id,
            seq=resume_after(request, last_seq=row.last_seq),
        )

    return await _stream(request, seat)


async def inbox(request: HttpRequest) -> HttpResponseBase:
    def seat() -> Seat:
        member, opened_with = _enter(request)
        refuse_unknown(request.GET, [], "parameter")
        listener = Listener(inbox_channel(member.tenant.id), private=True)
        return Seat(tenant=member.tenant, opened_with=opened_with, listener=listener)

    return await _stream(request, seat)


async def _stream(request: HttpRequest, take_seat: Callable[[], Seat]) -> HttpResponseBase:
    try:
        check_get(request)
        tenant_id = await in_thread(lambda: tenant_of_member(request))
        if tenant_id is None:
            raise Unauthenticated  # noqa: TRY301 - translated just below, like all the others
        seat = await in_short_scope(tenant_id, take_seat)
    except Exception as error:  # noqa: BLE001 - the translation raises what it does not know
        return problems.answer(error)
    return event_stream(seat)


def _enter(request: HttpRequest) -> tuple[Member, Pass]:
    member = member_of_request(request)
    if not may(member, Permission.READ):
        raise Forbidden
    token = bearer(request)
    if token is None:
        return member, Pass(member=member, session_key=request.session.session_key)
    return member, Pass(member=member, api_key_id=api_key_by_token(token).id)
