"""How much a request may carry, refused before it is read, or while it is when it did not say.

Django counts a body when a view asks for it, and by then the server has put all of it on the disk.
"""

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.conf import settings

from conversations.gates.uploads import LARGEST_UPLOAD
from conversations.services.files import too_large
from tenants.errors import TooLarge
from tenants.gates.problems import LARGEST_BODY, MEDIA_TYPE, body

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]

_UPLOADS = re.compile(r"/(?:widget|api)/v1/attachments")


class BodyLimit:
    """Around the application: 10 MB and a little for uploads, 256 KB for everything else.

    A request over it is answered 413, and its connection ends with the answer.
    """

    def __init__(self, app: _App) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit, refusal = _limit_of(scope["path"])
        if _stated(scope) > limit:
            await _refuse(send, refusal)
            return
        counted = _Counted(receive, send, limit)
        await self._app(scope, counted.receive, counted.send)
        if counted.over and not counted.answered:
            await _refuse(send, refusal)


class _Counted:
    """A request whose body is counted as it comes."""

    def __init__(self, receive: _Receive, send: _Send, limit: int) -> None:
        self._receive, self._send, self._left = receive, send, limit
        self.over = self.answered = False

    async def receive(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            # For the application it is a client that went away; the answer is ours.
            self.over = True
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.answered = True
        await self._send(message)


def _limit_of(path: str) -> tuple[int, TooLarge]:
    if _UPLOADS.fullmatch(path):
        return LARGEST_UPLOAD, too_large()
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0, TooLarge(LARGEST_BODY)


def _stated(scope: _Scope) -> int:
    values = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    return int(values[0]) if values and values[0].isdigit() else 0


async def _refuse(send: _Send, refusal: TooLarge) -> None:
    data = json.dumps(body(refusal), separators=(",", ":"), ensure_ascii=False).encode()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(data)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
