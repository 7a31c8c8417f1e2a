"""A model server that plays prepared answers over real HTTP and records what it was sent."""

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Wire:
    """One answer: a JSON body, or server-sent events when `events` is given."""

    body: Any = None
    events: list[Any] | None = None
    lines: list[Any] | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    # How many events go out before the connection is cut.
    cut_after: int | None = None
    # Seconds of silence before the first byte.
    wait: float = 0

    def encoded(self) -> tuple[str, list[bytes]]:
        if self.lines is not None:
            return "application/x-ndjson", [
                json.dumps(line).encode() + b"\n" for line in self.lines
            ]
        if self.events is None:
            return "application/json", [json.dumps(self.body).encode()]
        return "text/event-stream", [_event(event) for event in self.events]


def _event(event: Any) -> bytes:
    if isinstance(event, str):
        return f"data: {event}\n\n".encode()
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


@dataclass
class Recorded:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Recorder:
    """Answers the requests in order, on a port of its own; the last answer repeats."""

    def __init__(self, *answers: Wire) -> None:
        self.answers = list(answers)
        self.requests: list[Recorded] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Recorder":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length))
                headers = {name.lower(): value for name, value in self.headers.items()}
                recorder.requests.append(Recorded(self.path, headers, body))
                index = min(len(recorder.requests), len(recorder.answers)) - 1
                self._play(recorder.answers[index])

            def _play(self, answer: Wire) -> None:
                time.sleep(answer.wait)
                kind, pieces = answer.encoded()
                self.send_response(answer.status)
                self.send_header("content-type", kind)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for piece in pieces[: answer.cut_after]:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                if answer.cut_after is None:
                    self.wfile.write(b"0\r\n\r\n")
                else:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Silent."""

        return Handler


def completion(text: str = "", calls: list[tuple[str, str, str]] | None = None) -> Wire:
    """A streamed Chat Completions answer: words in two pieces, calls, usage at the end."""
    middle = len(text) // 2
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": part} for part in (text[:middle], text[middle:])
    ]
    for index, (call_id, name, arguments) in enumerate(calls or []):
        function = {"name": name, "arguments": arguments}
        call = {"index": index, "id": call_id, "type": "function", "function": function}
        deltas.append({"tool_calls": [call]})
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "served"}
    chunks = [
        {**base, "choices": [{"index": 0, "delta": d, "finish_reason": None}]}
        for d in deltas
        if d.get("content") or "tool_calls" in d
    ]
    reason = "tool_calls" if calls else "stop"
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 5,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    chunks.append({**base, "choices": [], "usage": usage})
    return Wire(events=[*chunks, "[DONE]"])


def anthropic_message(text: str = "", call: tuple[str, str, dict[str, Any]] | None = None) -> Wire:
    """A streamed Messages answer."""
    usage = {"input_tokens": 11, "output_tokens": 1, "cache_read_input_tokens": 4}
    message = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "served",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    events: list[Any] = [{"type": "message_start", "message": message}]
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": text}
    if call:
        block = {"type": "tool_use", "id": call[0], "name": call[1], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[2])}
    events += [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]
    return Wire(events=events)


def response(
    text: str = "", call: tuple[str, str, str] | None = None, *, name: str = "resp_1"
) -> Wire:
    """A streamed Responses answer, by its id."""
    item: dict[str, Any] = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    if call:
        names = {"call_id": call[0], "name": call[1], "arguments": call[2]}
        item = {"type": "function_call", "id": "fc_1", "status": "completed", **names}
    usage = {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 16,
    }
    whole = {
        "id": name,
        "object": "response",
        "created_at": 1,
        "model": "served",
        "output": [item],
        "status": "completed",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    }
    started = {**whole, "output": [], "status": "in_progress", "usage": None}
    where = {"item_id": item["id"], "output_index": 0}
    events: list[Any] = [
        {"type": "response.created", "response": started},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "arguments": ""},
        },
    ]
    if call:
        delta = {"type": "response.function_call_arguments.delta", "delta": call[2], **where}
        done = {"type": "response.function_call_arguments.done", "arguments": call[2], **where}
        events += [delta, done]
    else:
        said = {"content_index": 0, "logprobs": [], **where}
        events += [
            {"type": "response.output_text.delta", "delta": text, **said},
            {"type": "response.output_text.done", "text": text, **said},
        ]
    events += [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    for number, event in enumerate(events):
        event["sequence_number"] = number
    return Wire(events=events)


def response_body(text: str) -> Wire:
    """A Responses answer in one piece."""
    events: Any = response(text).events
    return Wire(events[-1]["response"])


def ollama(text: str = "", call: tuple[str, dict[str, Any]] | None = None) -> Wire:
    """A streamed Ollama answer."""
    base = {"model": "served", "created_at": "2026-11-30T00:00:00Z"}
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call:
        message["tool_calls"] = [{"function": {"name": call[0], "arguments": call[1]}}]
    last = {
        **base,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 11,
        "eval_count": 5,
    }
    return Wire(lines=[{**base, "message": message, "done": False}, last])
