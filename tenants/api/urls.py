"""Addresses of the audit record, below /api/v1/."""

from django.urls import path

from tenants.api.audit_views import AuditView

app_name = "tenants_api"

urlpatterns = [path("audit", AuditView.as_view(), name="audit")]
