"""Tools that a tenant makes by configuration."""

from django.db import models
from django.db.models import Q

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel


class HttpTool(TenantScopedModel):
    """One request to the tenant's own server, which the agent may make by this name."""

    class Method(models.TextChoices):
        GET = "GET", "GET"
        POST = "POST", "POST"
        PUT = "PUT", "PUT"
        PATCH = "PATCH", "PATCH"
        DELETE = "DELETE", "DELETE"

    name = models.CharField(max_length=60)
    description = models.CharField(max_length=500)
    # JSON Schema of an object: what the model must give.
    schema = models.JSONField(default=dict)
    method = models.CharField(max_length=6, choices=Method, default=Method.GET)
    # With {argument} in path and query; what is not named there goes into query or body.
    url = models.CharField(max_length=1000)
    # Names and values as one sealed JSON object.
    headers_encrypted = models.BinaryField(null=True)
    response_limit = models.PositiveIntegerField(default=32_768)
    needs_approval = models.BooleanField(default=False)
    needs_verified = models.BooleanField(default=False)
    enabled = models.BooleanField(default=True)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="http_tool_tenant"),
            models.UniqueConstraint(fields=["tenant", "name"], name="http_tool_name"),
            models.CheckConstraint(
                name="http_tool_name_is_plain", condition=Q(name__regex=r"^[a-z][a-z0-9_]{2,59}$")
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def only_reads(self) -> bool:
        return self.method == self.Method.GET
