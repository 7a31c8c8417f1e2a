"""Traces, where an operator asked for them; nothing at all otherwise.

What is traced says so here and names ids, kinds and counts, never words. Who keeps the spans is
`config/telemetry.py`'s business: no app knows OpenTelemetry. The place of a trace travels in the
due row, so that a lost doorbell does not tear it.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol


class Tracer(Protocol):
    """Keeps spans; one a process."""

    def place(self) -> str:
        """Where the open span stands, as a W3C `traceparent`; empty outside of one."""

    def span(self, name: str, *, after: str, ids: dict[str, str]) -> AbstractContextManager[None]:
        """A span of its own, in the trace of `after`, else in a new one."""

    def about(self, ids: dict[str, str]) -> AbstractContextManager[None]:
        """The open span and all that begin within are about these."""

    def mark(self, ids: dict[str, str]) -> None:
        """The open span is about these."""


_tracer: Tracer | None = None


def use(tracer: Tracer | None) -> None:
    """From now on this process's spans go there; None switches them off."""
    global _tracer  # noqa: PLW0603 - the process's
    _tracer = tracer


def place() -> str:
    return _tracer.place() if _tracer else ""


def span(name: str, *, after: str = "", **ids: object) -> AbstractContextManager[None]:
    return _tracer.span(name, after=after, ids=_texts(ids)) if _tracer else nullcontext()


@contextmanager
def about(**ids: object) -> Iterator[None]:
    with _tracer.about(_texts(ids)) if _tracer else nullcontext():
        yield


def mark(**ids: object) -> None:
    if _tracer:
        _tracer.mark(_texts(ids))


def _texts(ids: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in ids.items()}
