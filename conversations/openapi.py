"""The streams' place in the OpenAPI schema: DRF does not run them."""

from typing import Any

from tenants.gates.problems import MEDIA_TYPE

_EVENTS = (
    "Server-sent events. `id:` is the `seq` of durable events and absent for passing ones. First"
    " everything after `Last-Event-ID` (or `after_seq`), then `state`, then what is new: `message`,"
    " `event`, `state`, `delta`, `typing`, `erased`, and `ping` every 15 s. {more} A stream ends"
    " after ten minutes; connect again with the last `id`."
)
_PRIVATE = "Members also get `note` and `turn`."
_INBOX = (
    "Server-sent events. `state` carries a `conversation` that changed (a row of the inbox) and the"
    " `counts` of its tabs; `conversation: null` says to read the list again. `erased` names a"
    " conversation that is gone; `ping` comes every 15 s."
)
_POSITION = [
    {
        "in": "query",
        "name": "after_seq",
        "schema": {"type": "integer", "minimum": 0},
        "description": "Send what came after this number.",
    },
    {
        "in": "header",
        "name": "Last-Event-ID",
        "schema": {"type": "string"},
        "description": "The last `id` received; wins over after_seq.",
    },
]
_ID = {
    "in": "path",
    "name": "conversation_id",
    "required": True,
    "schema": {"type": "string", "format": "uuid"},
}


def add_streams(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A postprocessing hook of drf-spectacular."""
    paths = result["paths"]
    for prefix, operation, scheme, more in (
        ("/widget/v1", "own_stream", "sessionToken", ""),
        ("/api/v1", "conversation_stream", "apiKey", _PRIVATE),
    ):
        paths[f"{prefix}/conversations/{{conversation_id}}/stream"] = _stream(
            operation, scheme, _EVENTS.format(more=more), [_ID, *_POSITION]
        )
    paths["/api/v1/stream"] = _stream("inbox_stream", "apiKey", _INBOX, [])
    result["paths"] = dict(sorted(paths.items()))
    return result


def _stream(
    operation: str, scheme: str, words: str, parameters: list[dict[str, Any]]
) -> dict[str, Any]:
    problem = {"$ref": "#/components/schemas/Problem"}
    refused = {"content": {MEDIA_TYPE: {"schema": problem}}}
    events = {"text/event-stream": {"schema": {"type": "string"}}}
    return {
        "get": {
            "operationId": operation,
            "summary": "What happens, as it happens.",
            "description": words,
            "parameters": parameters,
            "tags": ["widget" if scheme == "sessionToken" else "api"],
            "security": [{scheme: []}],
            "responses": {
                "200": {"content": events, "description": "The stream."},
                "401": refused | {"description": "No valid key or token."},
                "403": refused | {"description": "Not for your role, website or desk."},
                "404": refused | {"description": "Foreign, absent or forbidden."},
            },
        }
    }
