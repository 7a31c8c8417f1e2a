"""Requests of erasure as JSON: states, times and counts, nothing of the person."""

from typing import Any

from conversations.models import ErasureRequest


def erasure_json(row: ErasureRequest) -> dict[str, Any]:
    return {
        "id": row.id,
        "state": row.state,
        "source": row.source,
        "customer": row.subject_id,
        "created_at": row.created_at,
        "due_at": row.due_at,
        "late": row.alarmed_at is not None and row.is_open,
        "starts_at": row.starts_at,
        "hidden_at": row.hidden_at,
        "executed_at": row.executed_at,
        "proven_at": row.proven_at,
        "certified_at": row.certified_at,
        "progress": {"done": row.done, "total": row.total},
        "deleted": row.evidence.get("deleted", {}),
        "ground": row.ground,
        "failure": row.failure,
        "certificate": row.certificate_id,
    }
