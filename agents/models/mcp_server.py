"""MCP servers whose tools a tenant lets its agent use."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.constraints import RowSecurity
from tenants.scoping import TenantScopedModel


class McpServer(TenantScopedModel):
    """A server by streamable HTTP, and its tools as a member saw them when they were read."""

    name = models.CharField(max_length=20)
    url = models.CharField(max_length=500)
    headers_encrypted = models.BinaryField(null=True)
    # [{name, title, description, schema, only_reads}]: what is offered to the agent. The server
    # cannot change it behind the tenant's back; a member reads it anew.
    tools = models.JSONField(default=list)
    tools_read_at = models.DateTimeField(null=True)
    # What a server says of its own tools is no proof: until a member trusts it, each call asks.
    needs_approval = models.BooleanField(default=True)
    enabled = models.BooleanField(default=True)
    changed_at = models.DateTimeField(db_default=Now())

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="mcp_server_tenant"),
            models.UniqueConstraint(fields=["tenant", "name"], name="mcp_server_name"),
            models.CheckConstraint(
                name="mcp_server_name_is_plain", condition=Q(name__regex=r"^[a-z][a-z0-9]{1,19}$")
            ),
        ]

    def __str__(self) -> str:
        return self.name
