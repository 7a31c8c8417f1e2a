"""The ASGI application that uvicorn serves."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("TURNSTONE_PROCESS", "web")

from django.conf import settings
from django.core.asgi import get_asgi_application

application = get_asgi_application()

if settings.OTEL_ENDPOINT:
    from config import telemetry

    telemetry.start(role="web")
