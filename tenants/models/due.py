"""Everything that must happen later."""

from django.db import models
from django.db.models.functions import Now

# A W3C `traceparent`.
TRACE = "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"


class DueWork(models.Model):
    """One thing that must happen; the row is the truth, a Celery message only its doorbell.

    Ids and times only, and therefore outside row-level security: one sweep reads all tenants'.
    Written in the transaction that makes it true, deleted by its handler's transaction.
    """

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    kind = models.CharField(max_length=30)
    ref_id = models.UUIDField()
    due_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)
    tries = models.PositiveIntegerField(default=0)
    # Where in which trace it was made true; empty when not traced.
    trace = models.CharField(max_length=55, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "kind", "ref_id"], name="due_work_once"),
            # Shared by all tenants: nothing but ids may ever stand here.
            models.CheckConstraint(
                condition=models.Q(trace="") | models.Q(trace__regex=TRACE), name="due_work_trace"
            ),
        ]
        # The sweep: what is due, oldest first.
        indexes = [models.Index(fields=["due_at"], name="due_work_sweep")]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref_id}"
