"""What a version is told beside the talk; those of before are told nothing new."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0020_retention_model_calls")]

    operations = [
        migrations.AddField(
            model_name="agentprofile",
            name="context",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20), blank=True, default=list, size=None
            ),
        ),
    ]
