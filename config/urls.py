"""The URL map on one screen."""

from django.urls import URLPattern, URLResolver, include, path

from config import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("", include("tenants.console.urls")),
]
