"""The organisation that uses the desk."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.scoping import new_id


class AgentMode(models.TextChoices):
    """What the agent does by itself."""

    AUTO = "auto", "Answers customers by itself"
    DRAFT = "draft", "Writes drafts that a teammate sends"
    OFF = "off", "Does not answer"


class Tenant(models.Model):
    """An organisation that uses the desk; the data controller. Shared, without customer data."""

    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        SUSPENDED = "suspended", "Suspended"
        CLOSED = "closed", "Closed"
        # Everything is deleted; the bare row keeps the address from ever meaning somebody else.
        ENDED = "ended", "Deleted"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=50, unique=True)
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=20, choices=Status, default=Status.ACTIVE)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    # What customers see.
    locale = models.CharField(max_length=12, default="en")
    time_zone = models.CharField(max_length=64, default="UTC")
    colour = models.CharField(max_length=7, default="#0f766e")
    agent_name = models.CharField(max_length=60, default="Assistant")
    greeting = models.CharField(max_length=300, default="Hello! How can we help?")
    hours = models.CharField(max_length=200, blank=True)

    # Limits.
    agent_mode = models.CharField(max_length=10, choices=AgentMode, default=AgentMode.AUTO)
    max_running_turns = models.PositiveSmallIntegerField(default=8)
    approval_limit = models.DecimalField(max_digits=12, decimal_places=2, default=100)
    # How long a request of the agent waits for a member's decision.
    approval_hours = models.PositiveSmallIntegerField(default=24)
    # Between the order to delete everything and its beginning; it can be taken back meanwhile.
    end_wait_days = models.PositiveSmallIntegerField(default=7)
    erasure_wait_hours = models.PositiveSmallIntegerField(default=72)
    link_hosts = ArrayField(models.CharField(max_length=253), default=list, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="tenant_colour_is_hex", condition=Q(colour__regex=r"^#[0-9a-f]{6}$")
            )
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def zone(self) -> ZoneInfo:
        """Where the tenant's days begin and end; UTC should its name be unknown here."""
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    @property
    def is_active(self) -> bool:
        return self.status == self.Status.ACTIVE
