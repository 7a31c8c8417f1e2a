"""The ASGI application that uvicorn serves."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("TURNSTONE_PROCESS", "web")

from django.conf import settings
from django.core.asgi import get_asgi_application


def _limited(app: Any) -> Any:
    from config.limits import BodyLimit  # noqa: PLC0415 - wants the apps, which are ready by now

    return BodyLimit(app)


application = _limited(get_asgi_application())

if settings.OTEL_ENDPOINT:
    from config import telemetry

    telemetry.start(role="web")
