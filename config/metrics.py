"""`/metrics` for Prometheus: how the desk does as a whole, for whoever shows the token.

No tenant, no name, no word. What is due stands in one small table without row security, from which
the turns that wait or run follow too; what has happened was counted as it happened. No scrape
looks at turns or messages.
"""

import hmac
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.services.metrics import BEYOND, BOUNDS
from tenants import metrics
from tenants.metrics import SEPARATOR

_DUE = """
SELECT kind, count(*), count(*) FILTER (WHERE due_at <= now()),
  COALESCE(EXTRACT(EPOCH FROM now() - min(due_at) FILTER (WHERE due_at <= now())), 0)::float8,
  COALESCE(max(tries), 0)
FROM tenants_duework GROUP BY kind ORDER BY kind
"""
# The row of due work that a turn has as long as it is in this state.
_STATES = {"turn": "queued", "lease": "running", "approval": "awaiting_approval"}

# What is counted, how it is called, what it means, and the names of its labels.
_COUNTERS = (
    ("turns", "turns_ended", "Turns that ended, by how", ("state",)),
    ("attempts", "turn_attempts", "Attempts at turns, by outcome", ("outcome",)),
    ("calls", "model_calls", "Requests to models", ("api", "purpose", "outcome")),
    ("call_seconds", "model_call_seconds", "Time that models took", ("api",)),
    ("tokens", "tokens", "Tokens, as providers count them", ("purpose", "direction")),
    ("cost", "cost", "Cost of model calls, in the currency's unit", ("currency",)),
)
_TIMES = (
    ("waits", "turn_wait_seconds", "From a turn's making to its claim, each attempt"),
    ("answers", "answer_seconds", "From a turn's making to its stored answer"),
)


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """404 where no token is set, 401 without the right one."""
    from prometheus_client import CollectorRegistry, exposition  # noqa: PLC0415 - for operators

    if not settings.METRICS_TOKEN:
        raise Http404
    if not _is_allowed(request):
        return HttpResponse("Show the token of TURNSTONE_METRICS_TOKEN as Bearer.\n", status=401)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Desk())
    return HttpResponse(
        exposition.generate_latest(registry), content_type=exposition.CONTENT_TYPE_LATEST
    )


def _is_allowed(request: HttpRequest) -> bool:
    shown = request.headers.get("Authorization", "").encode()
    return hmac.compare_digest(shown, f"Bearer {settings.METRICS_TOKEN}".encode())


class _Desk:
    """Read anew at each scrape."""

    def collect(self) -> Iterator[Any]:
        yield from _due()
        counted = metrics.read()
        yield _gauge("redis_up", "Whether Redis answers", (), {(): counted is not None})
        yield from _counted(counted or {})


def _due() -> Iterator[Any]:
    with connection.cursor() as cursor:
        cursor.execute(_DUE)
        rows = cursor.fetchall()
    states = dict.fromkeys(_STATES.values(), 0)
    states |= {_STATES[kind]: total for kind, total, *_ in rows if kind in _STATES}
    now = "Turns that have not ended, by state"
    yield _gauge("turns", now, ("state",), {(state,): number for state, number in states.items()})
    columns = (
        ("due_work", "Work that is to be done, now or later", 1),
        ("due_work_late", "Work that is due and not done", 2),
        ("due_work_oldest_seconds", "How long the oldest of it has been due", 3),
        ("due_work_tries_max", "How often the worst of it was rung for in vain", 4),
    )
    for name, text, column in columns:
        yield _gauge(name, text, ("kind",), {(row[0],): row[column] for row in rows})


def _counted(counted: dict[str, float]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily  # noqa: PLC0415

    for what, name, text, labels in _COUNTERS:
        family = CounterMetricFamily(f"turnstone_{name}", text, labels=labels)
        for values, number in _of(counted, what):
            family.add_metric(values, number)
        yield family
    for what, name, text in _TIMES:
        numbers = {values[0]: number for values, number in _of(counted, what)}
        classes = HistogramMetricFamily(f"turnstone_{name}", text)
        classes.add_metric([], _classes(numbers), numbers.get("sum", 0))
        yield classes


def _of(counted: dict[str, float], what: str) -> Iterator[tuple[list[str], float]]:
    for name, number in sorted(counted.items()):
        first, *values = name.split(SEPARATOR)
        if first == what:
            yield values, number


def _classes(numbers: dict[str, float]) -> list[tuple[str, float]]:
    """Each class holds the smaller ones too."""
    total, classes = 0.0, []
    for bound in [*map(str, BOUNDS), BEYOND]:
        total += numbers.get(bound, 0)
        classes.append((bound, total))
    return classes


def _gauge(name: str, text: str, labels: Iterable[str], values: dict[tuple[str, ...], Any]) -> Any:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 - for operators

    family = GaugeMetricFamily(f"turnstone_{name}", text, labels=list(labels))
    for labelled, value in values.items():
        family.add_metric(list(labelled), float(value))
    return family
