"""Two thousand calls of the HTTP APIs and pages with another tenant's ids: all are "not found".

`ISOLATION_SEED` repeats a run. Every address with an id in it takes part, because the addresses
come from the URL map: a new one is tried without being added here.
"""

import os
import re
from random import Random
from uuid import UUID

import psycopg
import pytest
from django.test import Client
from psycopg import sql

from tenants.models import Actor, Role, Tenant, User
from tenants.scoping import tenant_scope
from tenants.services import keys, members
from tests.architecture.routes import routes
from tests.support.queries import as_backup
from tests.support.rows import Rows, scoped_models

SEED = int(os.environ.get("ISOLATION_SEED", "20261130"))
TRIES = 2000
# Each is a whole body for some operation: a foreign id must be refused before any body is read.
BODIES = [
    {},
    {"client_key": "0193b0a0-0000-7000-8000-000000000001", "text": "Hello"},
    {"text": "Hello"},
    {"title": "Mine now"},
    {"until": "2099-01-01T00:00:00Z"},
    {"start": 0, "end": 1},
    {"score": 5},
]
_PLACE = re.compile(r"<uuid:\w+>")


@pytest.fixture
def world(transactional_db):
    """Acme's owner with a key and a login session, and one row of every table in Globex."""
    acme, globex = (Tenant.objects.create(slug=slug, name=slug) for slug in ("acme", "globex"))
    with tenant_scope(globex.id):
        made = Rows()
        ids = [made.one(model).pk for model in scoped_models()]
    user = User.objects.create_user("olga@example.org", "correct horse battery", name="Olga")
    with tenant_scope(acme.id):
        owner = members.create_member(user, role=Role.OWNER, by=Actor.SYSTEM)
        _, token = keys.create_api_key(owner, label="test", by=Actor.SYSTEM)
    signed_in = Client(raise_request_exception=True)
    signed_in.force_login(user)
    return acme, globex, ids, token, signed_in


def test_no_call_with_a_foreign_id_is_answered(world):
    acme, globex, ids, token, signed_in = world
    random, before = Random(SEED), _digest(globex.id)
    addresses = [route for route in routes() if _PLACE.search(route.path)]
    answers = set()
    assert len(before) >= len(scoped_models()), "the other tenant has a row in every table"

    for _ in range(TRIES):
        route, foreign = random.choice(addresses), random.choice(ids)
        url = "/" + _PLACE.sub(str(foreign), route.path).replace("<slug:tenant>", acme.slug)
        headers = {"Authorization": f"Bearer {token}"} if route.is_for_programs else {}
        method = random.choice(["get", "post", "put", "patch", "delete"])
        answer = getattr(signed_in, method)(
            url, random.choice(BODIES), content_type="application/json", headers=headers
        )
        answers.add(answer.status_code)
        assert answer.status_code in {401, 404, 405}, f"{method} {url}: {answer.status_code}"
        assert str(globex.id) not in answer.content.decode()

    assert 404 in answers
    assert _digest(globex.id) == before


def _digest(tenant_id: UUID) -> list[str]:
    found = []
    with psycopg.connect(as_backup()) as backup:
        for model in scoped_models():
            table = sql.Identifier(model._meta.db_table)
            query = sql.SQL("SELECT t::text FROM {} t WHERE tenant_id = %s ORDER BY id")
            found += [line for (line,) in backup.execute(query.format(table), [tenant_id])]
    return found
