"""Ten thousand tries to reach another tenant's row: none is seen, none is changed.

`ISOLATION_SEED` repeats a run; `ISOLATION_TRIES` makes it longer.
"""

import os
from hashlib import sha256
from random import Random

import psycopg
import pytest
from psycopg import sql

from conversations.models import Customer
from tenants.scoping import tenant_scope
from tenants.services.tenants import create_tenant
from tests.support.isolation import OPERATIONS, Attempt
from tests.support.queries import as_backup
from tests.support.rows import Rows, scoped_models

SEED = int(os.environ.get("ISOLATION_SEED", "20261130"))
TRIES = int(os.environ.get("ISOLATION_TRIES", "10000"))
TRIES_A_SCOPE = 200


@pytest.mark.django_db(transaction=True)
def test_no_try_of_ten_thousand_reaches_another_tenants_row():
    random = Random(SEED)
    rows = _rows_of_three_tenants()
    before = _digest()

    models = scoped_models()
    leaks: list[str] = []
    tried = set()
    for _ in range(TRIES // TRIES_A_SCOPE):
        mine, theirs = random.sample(sorted(rows), 2)
        with tenant_scope(mine):
            for _ in range(TRIES_A_SCOPE):
                model, act = random.choice(models), random.choice(OPERATIONS)
                seen = act(Attempt(rows[mine][model], rows[theirs][model], random))
                tried.add((model, act))
                if seen:
                    leaks.append(f"{act.__name__} on {model._meta.label}: {seen!r}")

    assert leaks == [], f"seed {SEED}"
    assert _digest() == before, f"seed {SEED}: rows were changed"
    assert len(tried) > 0.9 * len(models) * len(OPERATIONS)


@pytest.mark.django_db(transaction=True)
def test_the_digest_notices_a_change():
    rows = _rows_of_three_tenants()
    before = _digest()
    tenant_id = next(iter(rows))
    with tenant_scope(tenant_id):
        Customer.raw.filter(pk=rows[tenant_id][Customer].pk).update(name="changed")
    assert _digest() != before


def _rows_of_three_tenants():
    """One row of every table in each tenant, by tenant and model."""
    rows = {}
    for slug in ("acme", "globex", "initech"):
        tenant = create_tenant(slug=slug, name=slug.title())
        with tenant_scope(tenant.id):
            made = Rows()
            rows[tenant.id] = {model: made.one(model) for model in scoped_models()}
    return rows


def _digest() -> str:
    """Of all tenants' rows, letter by letter, past row security."""
    digest = sha256()
    with psycopg.connect(as_backup()) as backup:
        for model in scoped_models():
            table = sql.Identifier(model._meta.db_table)
            query = sql.SQL("SELECT t::text FROM {} t ORDER BY id").format(table)
            for (line,) in backup.execute(query).fetchall():
                digest.update(line.encode())
    return digest.hexdigest()
