"""What the OpenAPI schema says of an operation; tests hold every answer against it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers

from tenants.gates.problems import MEDIA_TYPE

_View = TypeVar("_View", bound=Callable[..., Any])
# What any operation may answer.
_ALWAYS = (400, 401, 403, 404, 500, 503)
_WITH_BODY = (413, 415)
_WORDS = {
    400: "Something in the request is wrong; `errors` names the fields.",
    401: "The key or token is missing, wrong, expired or revoked.",
    403: "You are known, and this is not for your role, website or desk.",
    404: "Foreign, absent or forbidden: the answer never tells which.",
    409: "Something changed meanwhile, or the key was used for another text.",
    410: "It existed and has ended for good.",
    413: "Too large; `detail` names the limit.",
    415: "Not plain JSON in UTF-8; of an upload: not a kind of file that is kept.",
    429: "Over a rate; Retry-After says for how long.",
    500: "A mistake of the desk; nothing was half-stored.",
    503: "A part of the desk is down; nothing was half-stored.",
}


class Problem(serializers.Serializer[None]):
    """RFC 9457 problem details, with a stable `code`."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="A sentence that a person can act on.")
    code = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()), required=False
    )


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the member API's key is sent."""

    target_class = "tenants.gates.api.MemberAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A tenant's API key (`ak_…`). It acts with its member's rights. The web"
            " admin's login session with its CSRF token does as well.",
        }


def describe(
    operation: str,
    summary: str,
    *,
    answers: Mapping[int | tuple[int, str], Any],
    body: Any = None,
    query: Any = None,
    problems: Sequence[int] = (),
) -> Callable[[_View], _View]:
    """`answers` by status, `problems` beside those that any operation may have.

    An answer that is not JSON names its media type beside the status.
    """
    refusals = {*_ALWAYS, *problems, *(_WITH_BODY if body else ())}
    responses: dict[Any, Any] = {key: _answer(key, kind) for key, kind in answers.items()}
    for status in sorted(refusals):
        responses[status, MEDIA_TYPE] = OpenApiResponse(Problem, _WORDS[status])
    return extend_schema(
        operation_id=operation,
        summary=summary,
        request=body,
        parameters=[query] if query else [],
        responses=responses,
    )


def paged(kind: type[serializers.BaseSerializer[Any]], name: str) -> type:
    """A page of rows and the cursor of the next one."""
    results = kind(many=True)
    following = serializers.CharField(allow_null=True)
    fields = {"results": results, "next": following, "__doc__": "A page of a list."}
    return type(name, (serializers.Serializer,), fields)


def _answer(key: int | tuple[int, str], kind: Any) -> OpenApiResponse:
    status = key if isinstance(key, int) else key[0]
    words = {200: "Done.", 201: "Stored.", 202: "Received.", 204: "Done; nothing to say."}
    return OpenApiResponse(kind, words[status])
