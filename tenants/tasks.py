"""The two tasks of the whole desk: run one due thing, and sweep."""

from typing import Any
from uuid import UUID

import redis
from celery import shared_task
from django.conf import settings

from tenants import due
from tenants.services.sign_in import forget_ended_sessions

# Readiness looks for this key: it is gone when no sweep has run for so many seconds.
SWEEP_KEY = "desk:sweep"
SWEEP_KEY_SECONDS = 30
# One sweep in so many seconds sees to it that what goes on everywhere is due everywhere.
_ENSURED_KEY = "desk:ensured"
_ENSURE_SECONDS = 600


@shared_task(name=due.RUN_TASK)
def run_due(*, tenant_id: str, kind: str, ref_id: str, **_: Any) -> None:
    due.run(UUID(tenant_id), kind, UUID(ref_id))


@shared_task(name="tenants.sweep")
def sweep(**_: Any) -> None:
    due.sweep()
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2) as client:
        client.set(SWEEP_KEY, 1, ex=SWEEP_KEY_SECONDS)
        if client.set(_ENSURED_KEY, 1, ex=_ENSURE_SECONDS, nx=True):
            due.ensure()
            forget_ended_sessions()
