"""Rows in bulk, written by the superuser in a few statements."""

from uuid import UUID

import psycopg

from agents.services.endpoints import EndpointSettings, set_endpoint
from bench import cluster, raw
from bench.measure import progress
from conversations.models import Conversation, Customer
from tenants.models import Tenant
from tenants.scoping import tenant_scope

# Copies of one row that the ORM made, so that a new column needs no word here.
_COPIES = """
INSERT INTO conversations_conversation
SELECT made.* FROM conversations_conversation model, generate_series(1, %(count)s) n,
  LATERAL jsonb_populate_record(model, jsonb_build_object('id', uuidv7(), {fields})) made
WHERE model.id = %(model)s
RETURNING id
"""

_MESSAGES = f"""
INSERT INTO conversations_message
  (id, tenant_id, conversation_id, seq, role, customer_id, author_name, text)
SELECT uuidv7(), %(tenant)s, talk, seq, CASE seq %% 2 WHEN 1 THEN 'customer' ELSE 'agent' END,
  CASE seq %% 2 WHEN 1 THEN %(customer)s::uuid END, '', {raw.WORDS}
FROM unnest(%(talks)s::uuid[]) talk, generate_series(1, %(length)s) seq
"""


def connect() -> psycopg.Connection:
    """The superuser, with the checks of foreign keys switched off for speed."""
    connection = psycopg.connect(cluster.superuser_url(), autocommit=True)
    connection.execute("SET session_replication_role = replica")
    return connection


def tenant(slug: str) -> Tenant:
    """An active tenant with an offline agent, and no cap on its turns."""
    made = Tenant.objects.create(slug=slug, name=slug.title(), max_running_turns=32_000)
    with tenant_scope(made.id):
        set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
    return made


def talks(tenant: Tenant, *, length: int, count: int) -> list[UUID]:
    """Open conversations of one customer with so many messages each, the last one the agent's."""
    progress(f"seeding {count:,} conversations of {length:,} messages")
    with tenant_scope(tenant.id):
        customer = Customer.objects.create(name="Ada", email="ada@example.org")
        model = Conversation.objects.create(
            customer=customer,
            title="A talk",
            title_by="agent",
            last_message_by="agent",
            last_message_preview="Hello",
            last_seq=length,
            message_count=length,
            customer_seq=length - 1,
            answered_seq=length - 1,
        )
    ids = copies(model, count, "'last_message_at', now() - n * interval '1 minute'")
    values = {"tenant": tenant.id, "customer": customer.id, "talks": ids, "length": length}
    with connect() as connection:
        connection.execute(_MESSAGES, values)
    return ids


def copies(model: Conversation, count: int, fields: str) -> list[UUID]:
    """So many more rows like `model`; `fields` are SQL pairs of name and value, by number `n`."""
    with connect() as connection:
        rows = connection.execute(
            _COPIES.format(fields=fields), {"count": count, "model": model.id}
        )
        return [row[0] for row in rows.fetchall()]


def plain(length: int, count: int) -> list[int]:
    """Talks of the reference, beside the desk's tables."""
    with psycopg.connect(cluster.superuser_url(), autocommit=True) as connection:
        return raw.talks(connection, length, count)


def settle() -> None:
    """Statistics and visibility as they are after a while, and no checkpoint in the middle."""
    with connect() as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
