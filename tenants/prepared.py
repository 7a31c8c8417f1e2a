"""Statements that the server keeps parsed and planned, for the few that every turn sends."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.utils import CursorWrapper

# The stubs know neither its argument nor that a cursor's wrapper takes it.
_ServerCursor: Any = ServerBindingCursor


def prepared_cursor() -> CursorWrapper:
    """A cursor like Django's own, but the connection prepares what it sends often.

    Only for hand SQL whose plan is the same for every tenant: it halves the time of a statement
    here. The ORM stays without, since one plan for all values takes the wrong index for some.
    """
    own = connections[DEFAULT_DB_ALIAS]
    if own.queries_logged:
        return own.cursor()  # the log shows statements with their values in them
    own.ensure_connection()
    return own.make_cursor(server_cursor(own))


def server_cursor(own: Any) -> Any:
    """The driver's cursor itself, on a connection of Django's that stands."""
    return _ServerCursor(own.connection)
