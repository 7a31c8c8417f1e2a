"""What a model was shown, kept by reference: a turn can be opened and read as the model read it."""

import json
from typing import Any
from uuid import UUID

from django.db import connection

from agents.services.contract import ClaimedTurn


def note_seen(claimed: ClaimedTurn, *, profile_id: UUID | None, seen: dict[str, Any]) -> None:
    """Written before the model is asked, so that a turn that fails can be opened too.

    A worker that lost the turn writes nothing; the commit will tell it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_turn SET profile_id = %s,"
            " seen = %s::jsonb || jsonb_build_object('at', clock_timestamp())"
            " WHERE tenant_id = %s AND id = %s AND fence = %s AND state = 'running'",
            [
                profile_id,
                json.dumps(seen, ensure_ascii=False),
                claimed.tenant_id,
                claimed.turn_id,
                claimed.fence,
            ],
        )
