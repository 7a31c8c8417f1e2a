from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("demo_shop", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="refund",
            name="key",
            field=models.CharField(default="", max_length=80),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="refund",
            constraint=models.UniqueConstraint(fields=["tenant", "key"], name="demo_refund_once"),
        ),
    ]
