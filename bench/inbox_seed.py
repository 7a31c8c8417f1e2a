"""A tenant as it looks after some years: most conversations resolved, few that anybody looks at."""

from bench import seeding
from bench.measure import progress
from conversations.models import Conversation, Customer, FunnelStage, Label
from tenants.models import Member, Role, User
from tenants.scoping import tenant_scope

# By number: 10 % open or snoozed, of these 60 % the agent's; 20 members share nine tenths of what
# the team has. Which is which has nothing to do with the time.
_FIELDS = """
  'customer_id', (SELECT id FROM conversations_customer c WHERE c.tenant_id = model.tenant_id
    AND c.name = 'Customer ' || n % {customers}),
  'status', CASE WHEN hashint4(n) % 10 <> 0 THEN 'resolved' WHEN hashint4(n) % 100 = 0
    THEN 'snoozed' ELSE 'open' END,
  'handler', CASE WHEN hashint4(n + 1) % 10 < 6 AND hashint4(n + 1) % 10 > -6 THEN 'agent'
    ELSE 'team' END,
  'assignee_id', CASE WHEN hashint4(n + 1) % 10 IN (6, 7, 8, -6, -7, -8) THEN
    (SELECT m.id FROM tenants_member m WHERE m.tenant_id = model.tenant_id
     ORDER BY m.id OFFSET n % 20 LIMIT 1) END,
  'stage_id', CASE WHEN n % 4 = 0 THEN '{stage}' END,
  'title', CASE WHEN n % 997 = 0 THEN 'needle in the hay ' ELSE 'Where is my order ' END || n,
  'last_message_preview', repeat('It is on its way to you. ', 4),
  'created_at', now() - n * interval '7 minutes' - interval '1 day',
  'last_message_at', now() - n * interval '7 minutes',
  'waiting_since', CASE WHEN hashint4(n) % 20 = 0 THEN now() - n * interval '7 minutes' END
"""

_LABELLED = """
INSERT INTO conversations_conversationlabel (id, tenant_id, conversation_id, label_id)
SELECT uuidv7(), tenant_id, id, %s FROM conversations_conversation
WHERE tenant_id = %s {some}
"""

_CUSTOMERS = """
INSERT INTO conversations_customer
SELECT made.* FROM conversations_customer model, generate_series(1, %s) n,
  LATERAL jsonb_populate_record(model, jsonb_build_object('id', uuidv7(),
    'name', 'Customer ' || n, 'email', 'customer' || n || '@example.org')) made
WHERE model.id = %s
"""
_INDEX = (
    "CREATE INDEX IF NOT EXISTS bench_customer_name ON conversations_customer (tenant_id, name)"
)


def tenant_of(count: int) -> Member:
    """A member of a new tenant with so many conversations."""
    progress(f"seeding a tenant with {count:,} conversations")
    tenant = seeding.tenant(f"inbox-{count}")
    users = [
        User.objects.create_user(f"m{n}@inbox{count}.example.org", name=f"Member {n}")
        for n in range(20)
    ]
    customers = max(count // 5, 1)
    with tenant_scope(tenant.id):
        members = [Member.objects.create(user=user, role=Role.SUPPORT_AGENT) for user in users]
        customer = Customer.objects.create(name="Customer 0", email="customer0@example.org")
        stage = FunnelStage.objects.create(name="Lead", position=1)
        labels = [Label.objects.create(name=name) for name in ("common", "rare")]
        model = Conversation.objects.create(customer=customer, title_by="agent")
    with seeding.connect() as connection:
        connection.execute(_CUSTOMERS, [customers - 1, customer.id])
        connection.execute(_INDEX)
        connection.execute("ANALYZE conversations_customer")
    fields = _FIELDS.replace("%", "%%").format(customers=customers, stage=stage.id)
    seeding.copies(model, count, fields)
    with seeding.connect() as connection:
        connection.execute("DROP INDEX bench_customer_name")
        for label, some in zip(labels, ("AND random() < 0.1", "LIMIT 20"), strict=True):
            connection.execute(_LABELLED.format(some=some), [label.id, tenant.id])
    return members[0]
