"""Traces by OpenTelemetry, sent over OTLP/HTTP to the operator's collector; off without one.

Without TURNSTONE_OTEL_CONTENT nothing that a person or a model said leaves: what may leave is a
list of attributes, because libraries add new ones with every version.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from opentelemetry import context as otel
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from tenants import tracing

_PREFIX = "turnstone."
_IDS = otel.create_key("turnstone-ids")
# Read by tools for models' traces; else the framework fills it with a provider's id.
_TALK, _GEN_AI_TALK = "conversation", "gen_ai.conversation.id"

# Ids, kinds and counts. Everything else stays here: arguments, results, messages, instructions,
# addresses, names that people chose, and the texts of exceptions.
_MAY_LEAVE = frozenset(
    {
        "error.type",
        "exception.type",
        "http.request.method",
        "http.response.status_code",
        "http.route",
        "gen_ai.conversation.id",
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.max_tokens",
        "gen_ai.request.model",
        "gen_ai.response.finish_reasons",
        "gen_ai.tool.name",
        "gen_ai.tool.type",
    }
)
_MAY_LEAVE_BELOW = (_PREFIX, "gen_ai.usage.")


def start(*, role: str) -> None:
    """Once a process: spans go to the collector that the settings name, if they name one.

    The batch's thread and what it holds are made anew in a forked child, by the SDK itself.
    """
    if not settings.OTEL_ENDPOINT:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - slow
        OTLPSpanExporter,
    )

    exporter = OTLPSpanExporter(settings.OTEL_ENDPOINT, headers=settings.OTEL_HEADERS, timeout=5)
    keep(BatchSpanProcessor(discreet(exporter)), role=role)


def keep(processor: SpanProcessor, *, role: str) -> TracerProvider:
    """Give this process's spans to the processor, the framework's among them."""
    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(settings.OTEL_SAMPLE)),
        resource=Resource.create({"service.name": "turnstone", "service.instance.role": role}),
    )
    provider.add_span_processor(Named())
    provider.add_span_processor(processor)
    # The framework asks the API for the process's provider.
    trace.set_tracer_provider(provider)
    tracing.use(Spans(provider))
    return provider


def end() -> None:
    """What is still held is sent; before a worker's child ends."""
    provider = trace.get_tracer_provider()
    if isinstance(provider, TracerProvider):
        provider.force_flush(2000)


def discreet(exporter: SpanExporter) -> SpanExporter:
    """The exporter, or one that lets only the list above pass it."""
    return exporter if settings.OTEL_CONTENT else Discreet(exporter)


class Spans:
    """The desk's own spans; see tenants/tracing.py."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("turnstone")
        self._text = TraceContextTextMapPropagator()

    def place(self) -> str:
        carrier: dict[str, str] = {}
        self._text.inject(carrier)
        return carrier.get("traceparent", "")

    @contextmanager
    def span(self, name: str, *, after: str, ids: dict[str, str]) -> Iterator[None]:
        before = self._text.extract({"traceparent": after}, context=otel.Context())
        with (
            _attached(otel.set_value(_IDS, ids, before)),
            self._tracer.start_as_current_span(name, kind=SpanKind.CONSUMER),
        ):
            yield

    @contextmanager
    def about(self, ids: dict[str, str]) -> Iterator[None]:
        self.mark(ids)
        with _attached(otel.set_value(_IDS, {**_ids(), **ids})):
            yield

    def mark(self, ids: dict[str, str]) -> None:
        _name(trace.get_current_span(), ids)


@contextmanager
def request_span(method: str) -> Iterator[Callable[[str, int], None]]:
    """A span around a request, always of a new trace: what a browser sends proves nothing.

    Gives what names it at the end: the route and the status.
    """
    tracer = trace.get_tracer("turnstone")
    with tracer.start_as_current_span(method, otel.Context(), kind=SpanKind.SERVER) as span:
        span.set_attribute("http.request.method", method)

        def answered(route: str, status: int) -> None:
            span.update_name(f"{method} {route}")
            span.set_attributes({"http.route": route, "http.response.status_code": status})

        yield answered


class Named(SpanProcessor):
    """Every span names the conversation and the turn that it is about, the framework's too."""

    def on_start(self, span: Span, parent_context: otel.Context | None = None) -> None:
        _name(span, _ids(parent_context))


class Discreet(SpanExporter):
    """Passes on copies that hold nothing but what may leave."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._inner.export([_bare(span) for span in spans])

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._inner.force_flush(timeout_millis)


def _bare(span: ReadableSpan) -> ReadableSpan:
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=_allowed(span.attributes),
        events=[
            Event(event.name, _allowed(event.attributes), event.timestamp)
            for event in span.events
            if event.name == "exception"
        ],
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _allowed(attributes: Any) -> dict[str, Any]:
    return {
        key: value
        for key, value in (attributes or {}).items()
        if key in _MAY_LEAVE or key.startswith(_MAY_LEAVE_BELOW)
    }


def _name(span: trace.Span, ids: dict[str, str]) -> None:
    if not span.is_recording():
        return
    span.set_attributes({f"{_PREFIX}{name}": value for name, value in ids.items()})
    if _TALK in ids:
        span.set_attribute(_GEN_AI_TALK, ids[_TALK])


def _ids(context: otel.Context | None = None) -> dict[str, str]:
    found = otel.get_value(_IDS, context)
    return found if isinstance(found, dict) else {}


@contextmanager
def _attached(context: otel.Context) -> Iterator[None]:
    token = otel.attach(context)
    try:
        yield
    finally:
        otel.detach(token)
