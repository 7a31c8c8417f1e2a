"""Whether the framework makes spans of runs, model calls and tools: only where somebody asked."""

from agent_framework.observability import disable_instrumentation, enable_instrumentation
from django.conf import settings


def settle() -> None:
    """By the settings alone; the framework's own variables in the environment count for nothing.

    Left to itself it instruments every run, and ENABLE_SENSITIVE_DATA would send conversations to
    whoever else in the process keeps spans.
    """
    if settings.OTEL_ENDPOINT:
        enable_instrumentation(enable_sensitive_data=settings.OTEL_CONTENT, force=True)
    else:
        disable_instrumentation()
