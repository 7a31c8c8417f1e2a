import django.db.models.constraints
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
import tenants.constraints
import tenants.scoping
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('tenants', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Customer',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('email', models.CharField(blank=True, max_length=254)),
                ('email_verified', models.BooleanField(default=False)),
                ('locale', models.CharField(blank=True, max_length=12)),
                ('attributes', models.JSONField(blank=True, default=dict)),
                ('last_seen_at', models.DateTimeField(blank=True, null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Conversation',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('status', models.CharField(choices=[('open', 'Open'), ('snoozed', 'Snoozed'), ('resolved', 'Resolved')], default='open', max_length=10)),
                ('handler', models.CharField(choices=[('agent', 'AI agent'), ('team', 'Team')], default='agent', max_length=10)),
                ('mode', models.CharField(blank=True, choices=[('auto', 'Answers customers by itself'), ('draft', 'Writes drafts that a teammate sends'), ('off', 'Does not answer')], max_length=10)),
                ('snoozed_until', models.DateTimeField(blank=True, null=True)),
                ('resolved_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('person_asked_at', models.DateTimeField(blank=True, null=True)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('title_by', models.CharField(blank=True, choices=[('customer', 'Customer'), ('agent', 'AI agent'), ('member', 'Teammate')], max_length=10)),
                ('stage_by', models.CharField(blank=True, choices=[('customer', 'Customer'), ('agent', 'AI agent'), ('member', 'Teammate')], max_length=10)),
                ('dossier', models.JSONField(blank=True, default=dict)),
                ('summary', models.TextField(blank=True)),
                ('summary_seq', models.BigIntegerField(default=0)),
                ('locale', models.CharField(blank=True, max_length=12)),
                ('input_tokens', models.BigIntegerField(default=0)),
                ('output_tokens', models.BigIntegerField(default=0)),
                ('cost', models.DecimalField(decimal_places=6, default=0, max_digits=14)),
                ('approval_pending', models.BooleanField(default=False)),
                ('last_seq', models.BigIntegerField(default=0)),
                ('message_count', models.PositiveIntegerField(default=0)),
                ('last_message_at', models.DateTimeField(blank=True, null=True)),
                ('last_message_by', models.CharField(blank=True, choices=[('customer', 'Customer'), ('agent', 'AI agent'), ('member', 'Teammate')], max_length=10)),
                ('last_message_preview', models.CharField(blank=True, max_length=160)),
                ('customer_seq', models.BigIntegerField(default=0)),
                ('answered_seq', models.BigIntegerField(default=0)),
                ('waiting_since', models.DateTimeField(blank=True, null=True)),
                ('unread_count', models.PositiveIntegerField(default=0)),
                ('assignee', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tenants.member')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
                ('customer', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.customer')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='CustomerIdentity',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('subject', models.CharField(max_length=200)),
                ('verified_at', models.DateTimeField()),
                ('customer', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.customer')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('mode', models.CharField(choices=[('reply', 'Reply'), ('note', 'Note')], max_length=10)),
                ('text', models.TextField()),
                ('version', models.PositiveIntegerField(default=1)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('member', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.member')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('seq', models.BigIntegerField()),
                ('kind', models.CharField(choices=[('taken_over', 'Taken Over'), ('handed_back', 'Handed Back'), ('failed', 'Failed'), ('waiting_for_colleague', 'Waiting For Colleague'), ('person_asked', 'Person Asked'), ('assigned', 'Assigned'), ('stage_changed', 'Stage Changed'), ('title_changed', 'Title Changed'), ('labels_changed', 'Labels Changed'), ('mode_changed', 'Mode Changed'), ('snoozed', 'Snoozed'), ('woken', 'Woken'), ('resolved', 'Resolved'), ('reopened', 'Reopened'), ('closed', 'Closed'), ('rated', 'Rated')], max_length=30)),
                ('public', models.BooleanField(default=False)),
                ('line', models.CharField(blank=True, max_length=300)),
                ('by_kind', models.CharField(max_length=10)),
                ('by_id', models.UUIDField(null=True)),
                ('by_name', models.CharField(blank=True, max_length=200)),
                ('detail', models.JSONField(default=dict)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='FunnelStage',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('name', models.CharField(max_length=60)),
                ('position', models.PositiveSmallIntegerField()),
                ('colour', models.CharField(default='slate', max_length=20)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='conversation',
            name='stage',
            field=models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='conversations.funnelstage'),
        ),
        migrations.CreateModel(
            name='Label',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('name', models.CharField(max_length=60)),
                ('colour', models.CharField(default='slate', max_length=20)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='ConversationLabel',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
                ('label', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.label')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('seq', models.BigIntegerField()),
                ('role', models.CharField(choices=[('customer', 'Customer'), ('agent', 'AI agent'), ('member', 'Teammate'), ('tool', 'Tool')], max_length=10)),
                ('author_name', models.CharField(blank=True, max_length=200)),
                ('text', models.TextField(blank=True)),
                ('parts', models.JSONField(null=True)),
                ('sources', models.JSONField(null=True)),
                ('turn_id', models.UUIDField(null=True)),
                ('saw_seq', models.BigIntegerField(null=True)),
                ('client_key', models.UUIDField(null=True)),
                ('edited_at', models.DateTimeField(null=True)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('customer', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.customer')),
                ('member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tenants.member')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='MessageEdit',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('seq', models.BigIntegerField()),
                ('text', models.TextField(blank=True)),
                ('by', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tenants.member')),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('seq', models.BigIntegerField()),
                ('author_name', models.CharField(blank=True, max_length=200)),
                ('text', models.TextField()),
                ('client_key', models.UUIDField(null=True)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tenants.member')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('score', models.PositiveSmallIntegerField()),
                ('comment', models.TextField(blank=True)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='WidgetToken',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('token_hash', models.BinaryField(max_length=32)),
                ('verified', models.BooleanField(default=False)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('customer', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.customer')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
                ('widget_key', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.widgetkey')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='CannedReply',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('shortcut', models.CharField(max_length=40)),
                ('text', models.TextField()),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
                'constraints': [tenants.constraints.RowSecurity(name='canned_reply_tenant'), models.UniqueConstraint(fields=('tenant', 'shortcut'), name='canned_reply_shortcut')],
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='customer',
            index=models.Index(fields=['tenant', '-created_at', '-id'], name='customer_page'),
        ),
        migrations.AddConstraint(
            model_name='customer',
            constraint=tenants.constraints.RowSecurity(name='customer_tenant'),
        ),
        migrations.AddConstraint(
            model_name='customer',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='customer_tenant_id'),
        ),
        migrations.AddIndex(
            model_name='customeridentity',
            index=models.Index(fields=['tenant', 'customer'], name='customer_identity_of'),
        ),
        migrations.AddConstraint(
            model_name='customeridentity',
            constraint=tenants.constraints.RowSecurity(name='customer_identity_tenant'),
        ),
        migrations.AddConstraint(
            model_name='customeridentity',
            constraint=tenants.constraints.TenantForeignKey(field='customer', name='customer_identity_customer_fk', on_delete='CASCADE', to='conversations_customer'),
        ),
        migrations.AddConstraint(
            model_name='customeridentity',
            constraint=models.UniqueConstraint(fields=('tenant', 'subject'), name='customer_identity_subject'),
        ),
        migrations.AddConstraint(
            model_name='draft',
            constraint=tenants.constraints.RowSecurity(name='draft_tenant'),
        ),
        migrations.AddConstraint(
            model_name='draft',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='draft_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='draft',
            constraint=tenants.constraints.TenantForeignKey(field='member', name='draft_member_fk', on_delete='CASCADE', to='tenants_member'),
        ),
        migrations.AddConstraint(
            model_name='draft',
            constraint=models.UniqueConstraint(fields=('tenant', 'conversation', 'member', 'mode'), name='draft_once'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=tenants.constraints.RowSecurity(name='event_tenant'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='event_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('tenant', 'conversation', 'seq'), name='event_seq'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('public', False), models.Q(('line', ''), _negated=True), _connector='OR'), name='event_public_has_line'),
        ),
        migrations.AddConstraint(
            model_name='funnelstage',
            constraint=tenants.constraints.RowSecurity(name='funnel_stage_tenant'),
        ),
        migrations.AddConstraint(
            model_name='funnelstage',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='funnel_stage_tenant_id'),
        ),
        migrations.AddConstraint(
            model_name='funnelstage',
            constraint=models.UniqueConstraint(fields=('tenant', 'name'), name='funnel_stage_name'),
        ),
        migrations.AddConstraint(
            model_name='funnelstage',
            constraint=models.UniqueConstraint(deferrable=django.db.models.constraints.Deferrable['DEFERRED'], fields=('tenant', 'position'), name='funnel_stage_position'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(fields=['tenant', 'status', '-last_message_at', '-id'], name='conversation_inbox'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('status__in', ['open', 'snoozed'])), fields=['tenant', '-last_message_at', '-id'], name='conversation_active'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('waiting_since__isnull', False)), fields=['tenant', 'waiting_since', 'id'], name='conversation_waiting'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(fields=['tenant', 'customer', '-last_message_at'], name='conversation_of_customer'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('assignee__isnull', False)), fields=['tenant', 'assignee', '-last_message_at', '-id'], name='conversation_mine'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=tenants.constraints.RowSecurity(name='conversation_tenant'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=tenants.constraints.TenantForeignKey(field='customer', name='conversation_customer_fk', on_delete='CASCADE', to='conversations_customer'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=tenants.constraints.TenantForeignKey(field='assignee', name='conversation_assignee_fk', on_delete='SET NULL', to='tenants_member'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=tenants.constraints.TenantForeignKey(field='stage', name='conversation_stage_fk', on_delete='SET NULL', to='conversations_funnelstage'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='conversation_tenant_id'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=tenants.constraints.RowSecurity(name='label_tenant'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='label_tenant_id'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.UniqueConstraint(fields=('tenant', 'name'), name='label_name'),
        ),
        migrations.AddIndex(
            model_name='conversationlabel',
            index=models.Index(fields=['tenant', 'label'], name='conversation_label_of'),
        ),
        migrations.AddConstraint(
            model_name='conversationlabel',
            constraint=tenants.constraints.RowSecurity(name='conversation_label_tenant'),
        ),
        migrations.AddConstraint(
            model_name='conversationlabel',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='conversation_label_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='conversationlabel',
            constraint=tenants.constraints.TenantForeignKey(field='label', name='conversation_label_label_fk', on_delete='CASCADE', to='conversations_label'),
        ),
        migrations.AddConstraint(
            model_name='conversationlabel',
            constraint=models.UniqueConstraint(fields=('tenant', 'conversation', 'label'), name='conversation_label_once'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=tenants.constraints.RowSecurity(name='message_tenant'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='message_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(fields=('tenant', 'conversation', 'seq'), name='message_seq'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(condition=models.Q(('client_key__isnull', False), ('customer__isnull', False)), fields=('tenant', 'customer', 'client_key'), name='message_client_key'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(condition=models.Q(('client_key__isnull', False), ('member__isnull', False)), fields=('tenant', 'member', 'client_key'), name='message_member_client_key'),
        ),
        migrations.AddIndex(
            model_name='messageedit',
            index=models.Index(fields=['tenant', 'conversation', 'seq'], name='message_edit_of'),
        ),
        migrations.AddConstraint(
            model_name='messageedit',
            constraint=tenants.constraints.RowSecurity(name='message_edit_tenant'),
        ),
        migrations.AddConstraint(
            model_name='messageedit',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='message_edit_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='messageedit',
            constraint=tenants.constraints.TenantForeignKey(field='by', name='message_edit_by_fk', on_delete='SET NULL', to='tenants_member'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=tenants.constraints.RowSecurity(name='note_tenant'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='note_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=tenants.constraints.TenantForeignKey(field='member', name='note_member_fk', on_delete='SET NULL', to='tenants_member'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=models.UniqueConstraint(fields=('tenant', 'conversation', 'seq'), name='note_seq'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=models.UniqueConstraint(condition=models.Q(('client_key__isnull', False), ('member__isnull', False)), fields=('tenant', 'member', 'client_key'), name='note_client_key'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=tenants.constraints.RowSecurity(name='rating_tenant'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='rating_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.UniqueConstraint(fields=('tenant', 'conversation'), name='rating_once'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.CheckConstraint(condition=models.Q(('score__gte', 1), ('score__lte', 5)), name='rating_one_to_five'),
        ),
        migrations.AddIndex(
            model_name='widgettoken',
            index=models.Index(fields=['tenant', 'customer'], name='widget_token_of'),
        ),
        migrations.AddIndex(
            model_name='widgettoken',
            index=models.Index(condition=models.Q(('revoked_at__isnull', True)), fields=['tenant', 'expires_at'], name='widget_token_expiry'),
        ),
        migrations.AddConstraint(
            model_name='widgettoken',
            constraint=tenants.constraints.RowSecurity(name='widget_token_tenant'),
        ),
        migrations.AddConstraint(
            model_name='widgettoken',
            constraint=tenants.constraints.TenantForeignKey(field='customer', name='widget_token_customer_fk', on_delete='CASCADE', to='conversations_customer'),
        ),
        migrations.AddConstraint(
            model_name='widgettoken',
            constraint=tenants.constraints.TenantForeignKey(field='widget_key', name='widget_token_widget_key_fk', on_delete='CASCADE', to='tenants_widgetkey'),
        ),
        migrations.AddConstraint(
            model_name='widgettoken',
            constraint=models.UniqueConstraint(fields=('tenant', 'token_hash'), name='widget_token_unique'),
        ),
    ]
