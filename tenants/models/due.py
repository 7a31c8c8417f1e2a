"""Everything that must happen later."""

from django.db import models
from django.db.models.functions import Now


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

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "kind", "ref_id"], name="due_work_once")
        ]
        # The sweep: what is due, oldest first.
        indexes = [models.Index(fields=["due_at"], name="due_work_sweep")]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref_id}"
