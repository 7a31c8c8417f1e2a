"""Whether the desk lives and is ready, for load balancers and operators; no tenant, no secret."""

from collections.abc import Callable

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from config.checks import runtime_powers


@require_safe
def alive(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    checks = {name: _passes(check) for name, check in _CHECKS.items()}
    ok = all(value == "ok" for value in checks.values())
    return JsonResponse({"status": "ok" if ok else "failing", **checks}, status=200 if ok else 503)


def _passes(check: Callable[[], str]) -> str:
    try:
        return check()
    except (DatabaseError, redis.RedisError, OSError) as error:
        return f"failing: {type(error).__name__}"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def _migrations() -> str:
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"failing: {len(pending)} migrations to apply" if pending else "ok"


def _broker() -> str:
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1) as client:
        client.ping()
    return "ok"


def _sweep() -> str:
    """The sweep writes its time to Redis at each round."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1) as client:
        age = client.ttl("desk:sweep")
    return "ok" if isinstance(age, int) and age > 0 else "failing: the sweep has not run lately"


def _role() -> str:
    """A role that looks past row security must serve nobody."""
    powers = runtime_powers()
    return f"failing: the database role {powers}" if powers else "ok"


_CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "role": _role,
    "migrations": _migrations,
    "broker": _broker,
    "sweep": _sweep,
}
