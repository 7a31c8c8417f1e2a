"""What turns and model calls add to the desk's counters; see tenants/metrics.py."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings

from agents.models import TurnState
from tenants import metrics
from tenants.metrics import named

if TYPE_CHECKING:  # usage counts what it books
    from agents.services.usage import MeteredCall

# Upper bounds of the classes, in seconds, and the last one's name.
BOUNDS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
BEYOND = "+Inf"


def ended(state: TurnState, number: int = 1) -> None:
    """So many turns end so, with the transaction that is open."""
    metrics.add_after_commit({named("turns", state): number})


def stored(state: TurnState, calls: Sequence["MeteredCall"]) -> None:
    """An answer is stored with its calls, or rests for an approval."""
    own = {} if state == TurnState.AWAITING_APPROVAL else {named("turns", state): 1}
    metrics.add_after_commit({**own, **_called(calls)})


def called(calls: Sequence["MeteredCall"]) -> None:
    """Requests to models are booked, with what they used and cost."""
    metrics.add_after_commit(_called(calls))


def attempted(outcome: str, *, left: float, seconds: float) -> None:
    """An attempt is over: answered, failed or fenced. As it began, the turn had `left` seconds."""
    waited = max(settings.TURN_DEADLINE_SECONDS - left, 0)
    changes = {named("attempts", outcome): 1, **_timed("waits", waited)}
    if outcome == "answered":
        changes |= _timed("answers", waited + seconds)
    metrics.add(changes)


def _called(calls: Sequence["MeteredCall"]) -> dict[str, float]:
    changes: defaultdict[str, float] = defaultdict(float)
    for call in calls:
        changes[named("calls", call.api, call.purpose, call.outcome)] += 1
        changes[named("call_seconds", call.api)] += call.duration_ms / 1000
        changes[named("tokens", call.purpose, "input")] += call.input_tokens
        changes[named("tokens", call.purpose, "output")] += call.output_tokens
        changes[named("cost", call.currency)] += float(call.cost)
    return dict(changes)


def _timed(what: str, seconds: float) -> dict[str, float]:
    bound = next((bound for bound in BOUNDS if seconds <= bound), BEYOND)
    return {named(what, bound): 1, named(what, "sum"): seconds}
