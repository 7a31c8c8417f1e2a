"""The Celery app: an engine that may lose, repeat, delay or reorder; the rows are the truth."""

import ctypes
import os
import signal
import sys
import warnings
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from celery import Celery
from celery.signals import (
    celeryd_after_setup,
    setup_logging,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
)
from django.conf import settings

from config.logs import configure

warnings.filterwarnings("ignore", message=".*superuser privileges.*")

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

app = Celery("turnstone")

# A post must not wait for a silent Redis: the web process gives up after 0.2 s and the sweep sends.
_WEB = settings.PROCESS == "web"
_TIMEOUT = 0.2 if _WEB else 5

app.conf.update(
    broker_url=settings.BROKER_URL,
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    result_backend=None,
    # Early acknowledgement: no duplicates by visibility timeout, and never a poison loop.
    task_acks_late=False,
    task_reject_on_worker_lost=False,
    worker_prefetch_multiplier=1,
    broker_transport_options={
        "visibility_timeout": 3600,
        "socket_timeout": _TIMEOUT,
        "socket_connect_timeout": _TIMEOUT,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "max_connections": 20,
    },
    broker_connection_timeout=_TIMEOUT,
    broker_connection_retry_on_startup=True,
    broker_pool_limit=10,
    task_publish_retry=False,
    task_soft_time_limit=540,
    task_time_limit=600,
    worker_soft_shutdown_timeout=20,
    worker_max_tasks_per_child=1000,
    worker_max_memory_per_child=400_000,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    task_send_sent_event=False,
    worker_send_task_events=False,
    task_default_queue="bulk",
    task_routes={"tenants.sweep": {"queue": "sweep"}},
    beat_schedule={
        "sweep": {
            "task": "tenants.sweep",
            "schedule": settings.SWEEP_SECONDS,
            # A sweep that waited longer than its period has nothing to add to the next one.
            "options": {"expires": max(settings.SWEEP_SECONDS * 3, 1)},
        }
    },
)
app.autodiscover_tasks()


@worker_process_init.connect
def _die_with_parent(**_: object) -> None:
    """A pool's child ends with its worker, also after kill -9: no orphan goes on with a turn."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@celeryd_after_setup.connect
def _load_before_the_fork(instance: Any, **_: object) -> None:
    """A child that imported the SDKs itself would stand still for a second in its first turn."""
    if "turns" in instance.app.amqp.queues.consume_from:
        from agents.runtime.clients import PACKAGES, load_packages  # noqa: PLC0415 - for this worker alone

        for api in PACKAGES:
            load_packages(api)


@setup_logging.connect
def _configure_logging(**_: object) -> None:
    configure({"level": settings.LOGGING["level"]})


@worker_init.connect
def _trace(**_: object) -> None:
    """In the worker itself: its children inherit it, and the SDK starts anew in each of them."""
    if settings.OTEL_ENDPOINT:
        from config import telemetry  # noqa: PLC0415 - for those who trace

        telemetry.start(role="worker")


@worker_process_shutdown.connect
def _send_last_spans(**_: object) -> None:
    if settings.OTEL_ENDPOINT:
        from config import telemetry  # noqa: PLC0415 - for those who trace

        telemetry.end()
