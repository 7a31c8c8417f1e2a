from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0008_staff_visits"),
    ]

    operations = [
        migrations.AddField(
            model_name="duework",
            name="trace",
            field=models.CharField(blank=True, db_default="", default="", max_length=55),
        ),
        migrations.AddConstraint(
            model_name="duework",
            constraint=models.CheckConstraint(
                condition=models.Q(trace="")
                | models.Q(trace__regex="^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"),
                name="due_work_trace",
            ),
        ),
    ]
