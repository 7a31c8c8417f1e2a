"""The URL map on one screen."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from config import health, metrics
from conversations.api.certificate_keys import certificate_keys
from conversations.gates import files
from conversations.widget import frame
from tenants.admin import site as staff
from tenants.api import docs

urlpatterns: list[URLPattern | URLResolver] = [
    # Customers.
    path("widget/frame/", frame.frame, name="widget-frame"),
    path("widget/loader.js", frame.loader, name="widget-loader"),
    path("widget/v1/", include("conversations.widget.urls")),
    # Whoever has the link, which a message brings.
    path("files/<str:signed>/<str:name>", files.file, name="file"),
    # Members' programs.
    path("api/v1/", include("tenants.api.urls")),
    path("api/v1/", include("conversations.api.urls")),
    path("api/v1/", include("agents.api.urls")),
    path("api/schema/", docs.schema, name="api-schema"),
    path("api/docs/", docs.page, name="api-docs"),
    # Whoever was handed a certificate.
    path(".well-known/turnstone-certificate-keys.json", certificate_keys, name="certificate-keys"),
    # Operators.
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics.page, name="metrics"),
    path("staff/in/", include("conversations.console.staff_urls")),
    path("staff/", staff.urls),
    # Members.
    path("", include("tenants.console.urls")),
    path("", include("conversations.console.urls")),
    path("", include("agents.console.urls")),
]

if settings.DEMO:
    urlpatterns.append(path("demo/", include("demo_shop.urls")))

handler400 = "tenants.gates.problems.bad_request"
handler403 = "tenants.gates.problems.forbidden"
handler404 = "tenants.gates.problems.not_found"
handler500 = "tenants.gates.problems.failed"
