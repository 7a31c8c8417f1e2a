"""Customers end by a policy of their own, when all their conversations have ended."""

from django.db import migrations, models

_FORWARD = """
CREATE FUNCTION has_live_talk(tenant uuid, customer uuid) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM conversations_conversation c
    WHERE c.tenant_id = tenant AND c.customer_id = customer AND c.erased_at IS NULL
      AND (c.expires_at IS NULL OR c.expires_at > now()))
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("conversations", "0016_retention_walls")]

    operations = [
        migrations.RunSQL(_FORWARD, "DROP FUNCTION has_live_talk(uuid, uuid)"),
        migrations.AddField(
            model_name="customer",
            name="expires_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="customer",
            name="expires_by",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="retentionpolicy",
            name="kind",
            field=models.CharField(
                choices=[
                    ("messages", "Messages, with the whole conversation"),
                    ("customers", "Customers, with sessions and identities"),
                    ("notes", "Notes"),
                    ("model_calls", "Model calls and tool journal"),
                    ("drafts", "Drafts"),
                ],
                default="messages",
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="erasurerequest",
            index=models.Index(
                condition=models.Q(("subject_id__isnull", False)),
                fields=["tenant", "subject_id"],
                name="erasure_request_of",
            ),
        ),
        migrations.AddIndex(
            model_name="customer",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="customer_expiry",
            ),
        ),
    ]
