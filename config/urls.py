"""The URL map on one screen."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from config import health
from conversations.widget import frame
from tenants.admin import site as staff

urlpatterns: list[URLPattern | URLResolver] = [
    # Customers.
    path("widget/frame/", frame.frame, name="widget-frame"),
    path("widget/loader.js", frame.loader, name="widget-loader"),
    # Operators.
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("staff/", staff.urls),
    path("", include("tenants.console.urls")),
]

if settings.DEMO:
    urlpatterns.append(path("demo/", include("demo_shop.urls")))
