"""A run of retention that would take too much at once waits for a second person."""

import django.db.models.deletion
from django.db import migrations, models

import tenants.constraints


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0017_customers_end"),
        ("tenants", "0012_audit_guards"),
    ]

    operations = [
        migrations.AddField(
            model_name="retentionpolicy",
            name="pieces",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="retentionrun",
            name="allowed",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="retentionrun",
            name="confirmed_by",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="tenants.member",
            ),
        ),
        migrations.AddField(
            model_name="retentionrun",
            name="due",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="retentionrun",
            name="held_back_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name="retentionrun",
            constraint=tenants.constraints.TenantForeignKey(
                field="confirmed_by",
                name="retention_run_confirmed_by_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("finished_at__isnull", True), ("held_back_at__isnull", True), _connector="OR"
                ),
                name="retention_run_ends_free",
            ),
        ),
    ]
