"""The ASGI application that uvicorn serves."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("TURNSTONE_PROCESS", "web")

from django.core.asgi import get_asgi_application

application = get_asgi_application()
