"""Views behind the gate, for its tests."""

from asgiref.sync import sync_to_async
from django.http import HttpResponse, JsonResponse
from django.urls import include, path

from tenants.errors import Conflict, DeskError
from tenants.gates.members import member_required, member_stream_required
from tenants.gates.problems import answer
from tenants.models import Member
from tenants.permissions import Permission
from tenants.scoping import scope_is_open
from tenants.services.keys import create_api_key


@member_required(Permission.READ)
def who(request):
    return JsonResponse({"tenant": request.tenant.slug, "member": str(request.member.id)})


@member_required(Permission.MEMBERS)
def manage(request):
    return HttpResponse(Member.objects.count())


@member_required(Permission.READ)
def fails_after_writing(request, status):
    create_api_key(request.member, label="never kept")
    return HttpResponse(status=status)


@member_required(Permission.READ)
def raises_after_writing(request):
    create_api_key(request.member, label="never kept")
    raise Conflict


@member_stream_required(Permission.REPLY)
async def stream(request):
    return HttpResponse(f"{request.member.id} {await sync_to_async(scope_is_open)()}")


async def translated_stream(request, tenant):
    try:
        return await stream(request, tenant)
    except DeskError as error:
        return answer(error)


urlpatterns = [
    path("", include("tenants.console.urls")),
    path("t/<slug:tenant>/who/", who),
    path("t/<slug:tenant>/manage/", manage),
    path("t/<slug:tenant>/fails/<int:status>/", fails_after_writing),
    path("t/<slug:tenant>/raises/", raises_after_writing),
    path("t/<slug:tenant>/stream/", translated_stream),
]
