"""A kind of retention for logs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0019_erasure_reminders")]

    operations = [
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
                    (
                        "logs",
                        "Logs: ended sessions, past exports and merges, invitations, error texts",
                    ),
                ],
                default="messages",
                max_length=20,
            ),
        ),
    ]
