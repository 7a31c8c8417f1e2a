"""Files beside messages, and apart from them their bytes."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

import tenants.constraints
import tenants.scoping


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0021_lines_by_their_conversation"),
        ("tenants", "0012_audit_guards"),
    ]

    operations = [
        migrations.CreateModel(
            name="Attachment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.scoping.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("expires_by", models.UUIDField(editable=False, null=True)),
                ("seq", models.BigIntegerField(null=True)),
                ("name", models.CharField(max_length=255)),
                ("media_type", models.CharField(max_length=100)),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("width", models.PositiveIntegerField(null=True)),
                ("height", models.PositiveIntegerField(null=True)),
                ("redacted_at", models.DateTimeField(null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.conversation",
                    ),
                ),
                (
                    "customer",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.customer",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenants.member",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "raw",
                "default_manager_name": "objects",
            },
            managers=[
                ("objects", django.db.models.manager.Manager()),
                ("raw", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="AttachmentBody",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.scoping.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("content", models.BinaryField()),
                ("preview", models.BinaryField(null=True)),
                (
                    "attachment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.attachment",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "raw",
                "default_manager_name": "objects",
            },
            managers=[
                ("raw", django.db.models.manager.Manager()),
                ("objects", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="attachment",
            index=models.Index(fields=["tenant", "conversation", "seq"], name="attachment_of_line"),
        ),
        migrations.AddIndex(
            model_name="attachment",
            index=models.Index(
                condition=models.Q(("customer__isnull", False)),
                fields=["tenant", "customer", "created_at"],
                name="attachment_of_customer",
            ),
        ),
        migrations.AddIndex(
            model_name="attachment",
            index=models.Index(
                condition=models.Q(("member__isnull", False)),
                fields=["tenant", "member"],
                name="attachment_of_member",
            ),
        ),
        migrations.AddIndex(
            model_name="attachment",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="attachment_expiry",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=tenants.constraints.RowSecurity(name="attachment_tenant"),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="attachment_tenant_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=tenants.constraints.TenantForeignKey(
                field="conversation",
                name="attachment_conversation_fk",
                on_delete="CASCADE",
                to="conversations_conversation",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=tenants.constraints.TenantForeignKey(
                field="customer",
                name="attachment_customer_fk",
                on_delete="CASCADE",
                to="conversations_customer",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=tenants.constraints.TenantForeignKey(
                field="member",
                name="attachment_member_fk",
                on_delete="SET NULL",
                to="tenants_member",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("conversation__isnull", True), ("seq__isnull", True)),
                    models.Q(("conversation__isnull", False), ("seq__isnull", False)),
                    _connector="OR",
                ),
                name="attachment_sent_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachmentbody",
            constraint=tenants.constraints.RowSecurity(name="attachment_body_tenant"),
        ),
        migrations.AddConstraint(
            model_name="attachmentbody",
            constraint=tenants.constraints.TenantForeignKey(
                field="attachment",
                name="attachment_body_fk",
                on_delete="CASCADE",
                to="conversations_attachment",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachmentbody",
            constraint=models.UniqueConstraint(
                fields=("tenant", "attachment"), name="attachment_body_once"
            ),
        ),
        # Pictures and documents are packed already; unpacked bytes can be read piece by piece.
        migrations.RunSQL(
            "ALTER TABLE conversations_attachmentbody ALTER content SET STORAGE EXTERNAL,"
            " ALTER preview SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        ),
    ]
