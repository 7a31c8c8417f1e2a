"""When the team was written to about a request's clock."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0018_retention_alarm")]

    operations = [
        migrations.AddField(
            model_name="erasurerequest",
            name="reminded_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="erasurerequest",
            name="overdue_at",
            field=models.DateTimeField(null=True),
        ),
    ]
