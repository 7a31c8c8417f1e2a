"""Rows of this app as the HTTP contract spells them."""

from typing import Any

from tenants.models import AuditEntry, AuditLink


def audit_json(entry: AuditEntry, link: AuditLink | None) -> dict[str, Any]:
    """One entry, with its place and hash in the chain, by which it can be checked elsewhere."""
    about = {"kind": entry.target_kind, "id": entry.target_id}
    return {
        "id": entry.id,
        "at": entry.created_at,
        "actor": {"kind": entry.actor_kind, "id": entry.actor_id, "code": entry.actor_code},
        "action": entry.action,
        "target": about if entry.target_kind else None,
        "detail": entry.detail,
        "seq": link.seq if link else None,
        "hash": bytes(link.hash).hex() if link else None,
    }
