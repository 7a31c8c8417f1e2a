"""A collector of traces that we made: OTLP over real HTTP, with the published message types."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from gzip import decompress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Kept:
    """One span as it arrived."""

    name: str
    trace: str
    span: str
    parent: str
    role: str
    attributes: dict[str, Any]


@dataclass
class Collector:
    """What came, as spans and as bytes."""

    url: str
    spans: list[Kept] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def trace_of(self, name: str) -> list[Kept]:
        """All spans of the trace that holds a span of this name."""
        traces = {span.trace for span in self.spans if span.name.startswith(name)}
        return [span for span in self.spans if span.trace in traces]

    def take(self, body: bytes) -> None:
        self.bodies.append(body)
        for one in ExportTraceServiceRequest.FromString(body).resource_spans:
            role = _plain(one.resource.attributes)["service.instance.role"]
            for scope in one.scope_spans:
                self.spans.extend(_kept(span, role) for span in scope.spans)


@contextmanager
def collector() -> Iterator[Collector]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    found = Collector(f"http://127.0.0.1:{server.server_address[1]}/v1/traces")
    _Handler.collector = found
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    collector: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        zipped = self.headers.get("content-encoding") == "gzip"
        self.collector.take(decompress(body) if zipped else body)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def _kept(span: Any, role: str) -> Kept:
    return Kept(
        name=span.name,
        trace=span.trace_id.hex(),
        span=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        role=role,
        attributes=_plain(span.attributes),
    )


def _plain(attributes: Any) -> dict[str, Any]:
    return {
        pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "string_value")
        for pair in attributes
    }
