"""Usage hides no model call."""

import django.db.models.manager
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0019_insights"),
    ]

    operations = [
        migrations.AlterModelManagers(
            name="modelcall",
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
    ]
