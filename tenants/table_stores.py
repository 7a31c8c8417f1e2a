"""Stores that are tables, emptied in batches by hand SQL: the ORM's collector loads every row."""

from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import Model

from tenants.personal_data import Rank, Whose, register_store
from tenants.scoping import current_tenant_id

OF_TALKS = "conversation_id = ANY(%(talks)s)"
OF_CUSTOMER = "customer_id = %(customer)s"


def register_table(
    name: str,
    model: type[Model],
    *,
    where: str = OF_TALKS,
    rank: Rank = Rank.BRANCH,
    change: str = "",
) -> None:
    """A table whose rows of a subject are found by `where`, which goes by an index.

    With `change` (assignments in SQL) the rows stay and lose the subject instead.
    """
    table = model._meta.db_table
    # By place and not by key: the rows have just been found there, under the conversation's lock.
    batch = f"""WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM {table} WHERE tenant_id = %(tenant)s AND {where} LIMIT %(limit)s))"""  # noqa: S608 - names of our own tables
    purge = f"UPDATE {table} SET {change} {batch}" if change else f"DELETE FROM {table} {batch}"  # noqa: S608 - as above
    count = f"SELECT count(*) FROM {table} WHERE tenant_id = %(tenant)s AND {where}"  # noqa: S608 - as above

    def counts(whose: Whose) -> int:
        with connection.cursor() as cursor:
            cursor.execute(count, _values(whose))
            return int(cursor.fetchone()[0])

    def purges(whose: Whose, limit: int) -> int:
        with connection.cursor() as cursor:
            cursor.execute(purge, {**_values(whose), "limit": limit})
            return int(cursor.rowcount)

    register_store(name, counts=counts, purges=purges, rank=rank, table=model)


def _values(whose: Whose) -> Mapping[str, Any]:
    return {
        "tenant": current_tenant_id(),
        "talks": list(whose.conversations),
        "customer": whose.customer,
        "copies": whose.copies,
    }
