import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
import tenants.constraints
import tenants.scoping
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('conversations', '0001_initial'),
        ('tenants', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelEndpoint',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('name', models.CharField(max_length=80)),
                ('api', models.CharField(choices=[('chat_completions', 'Chat Completions'), ('responses', 'Responses'), ('messages', 'Messages'), ('ollama', 'Ollama'), ('offline', 'Offline (no language model)')], max_length=20)),
                ('base_url', models.CharField(blank=True, max_length=500)),
                ('model', models.CharField(max_length=120)),
                ('key_encrypted', models.BinaryField(null=True)),
                ('trusted', models.BooleanField(default=False)),
                ('input_price', models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ('output_price', models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('max_output_tokens', models.PositiveIntegerField(default=1024)),
                ('timeout_seconds', models.PositiveIntegerField(default=60)),
                ('options', models.JSONField(blank=True, default=dict)),
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
            name='AgentProfile',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('version', models.PositiveIntegerField()),
                ('instructions', models.TextField(blank=True)),
                ('tools', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), blank=True, default=list, size=None)),
                ('window', models.PositiveIntegerField(default=40)),
                ('max_steps', models.PositiveSmallIntegerField(default=8)),
                ('turn_seconds', models.PositiveIntegerField(default=90)),
                ('published_at', models.DateTimeField(blank=True, null=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
                ('endpoint', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agents.modelendpoint')),
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
            name='Turn',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('reason', models.CharField(choices=[('customer', 'Customer wrote'), ('handed_back', 'Handed back'), ('decision', 'Approval decided'), ('retry', 'Retried by a teammate')], max_length=20)),
                ('retry_of', models.UUIDField(null=True)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('awaiting_approval', 'Awaiting approval'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled'), ('superseded', 'Superseded')], default='queued', max_length=20)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('fence', models.BigIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('lease_owner', models.CharField(blank=True, max_length=80)),
                ('not_before', models.DateTimeField(null=True)),
                ('deadline_at', models.DateTimeField()),
                ('saw_seq', models.BigIntegerField(null=True)),
                ('session_state', models.JSONField(null=True)),
                ('input_tokens', models.BigIntegerField(default=0)),
                ('output_tokens', models.BigIntegerField(default=0)),
                ('cost', models.DecimalField(decimal_places=6, default=0, max_digits=14)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('provider_status', models.PositiveSmallIntegerField(null=True)),
                ('error_detail', models.TextField(blank=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('profile', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='agents.agentprofile')),
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
            name='ToolCall',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('step', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=60)),
                ('arguments', models.JSONField(default=dict)),
                ('arguments_digest', models.BinaryField(max_length=32)),
                ('result', models.TextField(blank=True)),
                ('state', models.CharField(choices=[('started', 'Started'), ('finished', 'Finished'), ('failed', 'Failed')], default='started', max_length=10)),
                ('duration_ms', models.PositiveIntegerField(default=0)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
                ('turn', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.turn')),
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
            name='Approval',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('call_id', models.CharField(max_length=120)),
                ('tool', models.CharField(max_length=60)),
                ('arguments', models.JSONField(default=dict)),
                ('arguments_digest', models.BinaryField(max_length=32)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('expired', 'Expired'), ('void', 'Void')], default='pending', max_length=10)),
                ('expires_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('comment', models.TextField(blank=True)),
                ('conversation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='conversations.conversation')),
                ('decided_by', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tenants.member')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
                ('turn', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.turn')),
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
            name='ModelCall',
            fields=[
                ('id', models.UUIDField(default=tenants.scoping.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('conversation_id', models.UUIDField(null=True)),
                ('turn_id', models.UUIDField(null=True)),
                ('attempt', models.PositiveSmallIntegerField(default=1)),
                ('purpose', models.CharField(choices=[('answer', 'Answer'), ('title', 'Title'), ('specialist', 'Specialist'), ('summary', 'Summary'), ('stage', 'Funnel stage'), ('triage', 'Triage')], default='answer', max_length=20)),
                ('api', models.CharField(max_length=20)),
                ('model', models.CharField(max_length=120)),
                ('input_tokens', models.BigIntegerField(default=0)),
                ('output_tokens', models.BigIntegerField(default=0)),
                ('cached_tokens', models.BigIntegerField(default=0)),
                ('reasoning_tokens', models.BigIntegerField(default=0)),
                ('cost', models.DecimalField(decimal_places=6, default=0, max_digits=14)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('duration_ms', models.PositiveIntegerField(default=0)),
                ('outcome', models.CharField(choices=[('ok', 'Answered'), ('error', 'Error'), ('cancelled', 'Cancelled')], max_length=10)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'raw',
                'default_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant', 'created_at'], name='model_call_by_day'), models.Index(fields=['tenant', 'turn_id'], name='model_call_of_turn'), models.Index(fields=['tenant', 'conversation_id'], name='model_call_of_talk')],
                'constraints': [tenants.constraints.RowSecurity(name='model_call_tenant')],
            },
            managers=[
                ('raw', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddConstraint(
            model_name='modelendpoint',
            constraint=tenants.constraints.RowSecurity(name='model_endpoint_tenant'),
        ),
        migrations.AddConstraint(
            model_name='modelendpoint',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='model_endpoint_tenant_id'),
        ),
        migrations.AddConstraint(
            model_name='modelendpoint',
            constraint=models.UniqueConstraint(fields=('tenant', 'name'), name='model_endpoint_name'),
        ),
        migrations.AddConstraint(
            model_name='agentprofile',
            constraint=tenants.constraints.RowSecurity(name='agent_profile_tenant'),
        ),
        migrations.AddConstraint(
            model_name='agentprofile',
            constraint=tenants.constraints.TenantForeignKey(field='endpoint', name='agent_profile_endpoint_fk', on_delete='NO ACTION', to='agents_modelendpoint'),
        ),
        migrations.AddConstraint(
            model_name='agentprofile',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='agent_profile_tenant_id'),
        ),
        migrations.AddConstraint(
            model_name='agentprofile',
            constraint=models.UniqueConstraint(fields=('tenant', 'version'), name='agent_profile_version'),
        ),
        migrations.AddConstraint(
            model_name='agentprofile',
            constraint=models.UniqueConstraint(condition=models.Q(('published_at__isnull', False), ('retired_at__isnull', True)), fields=('tenant',), name='agent_profile_one_published'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['tenant', 'conversation', '-created_at'], name='turn_of_conversation'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('state', 'running')), fields=['tenant'], name='turn_running_of_tenant'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=tenants.constraints.RowSecurity(name='turn_tenant'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='turn_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=tenants.constraints.TenantForeignKey(field='profile', name='turn_profile_fk', on_delete='SET NULL', to='agents_agentprofile'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='turn_tenant_id'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('tenant', 'conversation'), name='turn_one_running'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'queued')), fields=('tenant', 'conversation'), name='turn_one_queued'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'awaiting_approval')), fields=('tenant', 'conversation'), name='turn_one_awaiting'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('state', 'running')), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_until__isnull', True)), _connector='OR'), name='turn_lease_while_running'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ['succeeded', 'failed', 'cancelled', 'superseded'])), models.Q(models.Q(('state__in', ['succeeded', 'failed', 'cancelled', 'superseded']), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='turn_finished_when_terminal'),
        ),
        migrations.AddConstraint(
            model_name='toolcall',
            constraint=tenants.constraints.RowSecurity(name='tool_call_tenant'),
        ),
        migrations.AddConstraint(
            model_name='toolcall',
            constraint=tenants.constraints.TenantForeignKey(field='turn', name='tool_call_turn_fk', on_delete='CASCADE', to='agents_turn'),
        ),
        migrations.AddConstraint(
            model_name='toolcall',
            constraint=models.UniqueConstraint(fields=('tenant', 'turn', 'step'), name='tool_call_step'),
        ),
        migrations.AddIndex(
            model_name='approval',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['tenant', 'created_at'], name='approval_pending'),
        ),
        migrations.AddIndex(
            model_name='approval',
            index=models.Index(fields=['tenant', 'conversation'], name='approval_of'),
        ),
        migrations.AddConstraint(
            model_name='approval',
            constraint=tenants.constraints.RowSecurity(name='approval_tenant'),
        ),
        migrations.AddConstraint(
            model_name='approval',
            constraint=tenants.constraints.TenantForeignKey(field='conversation', name='approval_conversation_fk', on_delete='CASCADE', to='conversations_conversation'),
        ),
        migrations.AddConstraint(
            model_name='approval',
            constraint=tenants.constraints.TenantForeignKey(field='turn', name='approval_turn_fk', on_delete='CASCADE', to='agents_turn'),
        ),
        migrations.AddConstraint(
            model_name='approval',
            constraint=tenants.constraints.TenantForeignKey(field='decided_by', name='approval_decided_by_fk', on_delete='SET NULL', to='tenants_member'),
        ),
        migrations.AddConstraint(
            model_name='approval',
            constraint=models.UniqueConstraint(fields=('tenant', 'turn', 'call_id'), name='approval_call'),
        ),
        migrations.AddConstraint(
            model_name='approval',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', False), ('state__in', ['approved', 'rejected'])), models.Q(models.Q(('state__in', ['approved', 'rejected']), _negated=True), ('decided_at__isnull', True)), _connector='OR'), name='approval_decided_once'),
        ),
    ]
