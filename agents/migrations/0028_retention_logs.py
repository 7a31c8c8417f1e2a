"""Error texts, for retention of logs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0027_erasure_statistics_again")]

    operations = [
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("error_detail", ""), _negated=True),
                fields=["tenant", "finished_at"],
                name="turn_error_text",
            ),
        ),
    ]
