"""A model server that we script: real HTTP, the Chat Completions protocol, streamed or not."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the model does on one request."""

    text: str = ""
    tool_calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    seconds: float = 0.0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False  # the stream breaks off in the middle
    usage: tuple[int, int] = (100, 20)


Script = Callable[[dict[str, Any]], Reply]


class ModelServer:
    """Answers at `base_url` as the script says; `requests` are the bodies it saw."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self})
        )
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            self.requests.append(body)
        return self.script(body)


class _Handler(BaseHTTPRequestHandler):
    """Speaks the protocol for the model server that it is bound to."""

    protocol_version = "HTTP/1.1"
    model: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.model.answer(body)
        time.sleep(reply.seconds)
        try:
            if reply.status != 200:
                self._send_json({"error": {"message": "scripted"}}, reply)
            elif body.get("stream"):
                self._stream(reply)
            else:
                self._send_json(_completion(reply), reply)
        except OSError:
            self.close_connection = True  # the worker was killed or hung up

    def _send_json(self, payload: dict[str, Any], reply: Reply) -> None:
        data = json.dumps(payload).encode()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        chunks = list(_chunks(reply))
        for chunk in chunks[:1] if reply.cut else chunks:
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        if not reply.cut:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Silent: the test reads `requests`."""


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{place}_{time.monotonic_ns()}",
            "index": place,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(reply.tool_calls)
    ]


def _usage(reply: Reply) -> dict[str, int]:
    asked, said = reply.usage
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _completion(reply: Reply) -> dict[str, Any]:
    calls = _calls(reply)
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if calls else "stop",
    }
    return _envelope("chat.completion", [choice]) | {"usage": _usage(reply)}


def _chunks(reply: Reply) -> Iterator[dict[str, Any]]:
    """One stream has one id, as providers send it."""
    name = f"cmpl-{time.monotonic_ns()}"
    yield from ({**chunk, "id": name} for chunk in _parts(reply))


def _parts(reply: Reply) -> Iterator[dict[str, Any]]:
    half = (len(reply.text) + 1) // 2
    for piece in (reply.text[:half], reply.text[half:]):
        if piece:
            yield _chunk({"role": "assistant", "content": piece})
    calls = _calls(reply)
    if calls:
        yield _chunk({"role": "assistant", "tool_calls": calls})
    yield _chunk({}, finish="tool_calls" if calls else "stop")
    yield _envelope("chat.completion.chunk", []) | {"usage": _usage(reply)}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _envelope("chat.completion.chunk", [choice])


def _envelope(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"cmpl-{time.monotonic_ns()}",
        "object": kind,
        "created": int(time.time()),
        "model": "scripted",
        "choices": choices,
    }
