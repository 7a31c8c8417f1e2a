"""Rows of the plain tables, from rows of the database."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from tenants.console import audit_words as words
from tenants.console.pages import Context, cell, row
from tenants.models import ApiKey, AuditEntry, Invitation, Member, Role, WidgetKey


def team(
    viewer: Member, slug: str, members: Iterable[Member], invitations: Iterable[Invitation]
) -> list[Context]:
    return [_member(viewer, slug, member) for member in members] + [
        _invitation(slug, invitation) for invitation in invitations
    ]


def _member(viewer: Member, slug: str, member: Member) -> Context:
    you = _("you") if member == viewer else ""
    return row(
        [
            cell(member.name, kind="member", initials=member.initials, hint=you),
            cell(member.email),
            cell(member.role_label, kind="badge"),
            cell(member.created_at, kind="time"),
        ],
        [
            _link(_("Change the role"), "tenants:change-role", slug, member.id),
            _button(
                _("Remove"),
                "tenants:remove-member",
                slug,
                member.id,
                confirm=_("Remove this teammate? Their API keys stop working at once."),
            ),
        ],
    )


def _invitation(slug: str, invitation: Invitation) -> Context:
    return row(
        [
            cell(_("Invited"), kind="badge", tone="info"),
            cell(invitation.email),
            cell(Role(invitation.role).label, kind="badge"),
            cell(invitation.created_at, kind="time"),
        ],
        [_button(_("Take back"), "tenants:take-back-invitation", slug, invitation.id)],
    )


def widget_keys(slug: str, keys: Iterable[WidgetKey]) -> list[Context]:
    return [
        row(
            [
                cell(key.label, url=reverse("tenants:widget-key", args=[slug, key.id])),
                cell(key.key, kind="code"),
                cell(", ".join(key.allowed_origins) or "–"),
                cell(_("In use") if key.active else _("Switched off"), kind="badge"),
            ],
            [
                _button(
                    _("New identity secret"),
                    "tenants:rotate-secret",
                    slug,
                    key.id,
                    confirm=_(
                        "Make a new secret? Identities signed with the old one stop working."
                    ),
                )
            ],
        )
        for key in keys
    ]


def widget_key_values(key: WidgetKey) -> Context:
    return {
        "label": key.label,
        "allowed_origins": "\n".join(key.allowed_origins),
        "identity_required": key.identity_required,
        "active": key.active,
    }


def api_keys(slug: str, keys: Iterable[ApiKey]) -> list[Context]:
    return [
        row(
            [
                cell(key.label),
                cell(key.prefix, kind="code"),
                cell(key.member.name),
                cell(key.last_used_at, kind="time"),
            ],
            [
                _button(
                    _("Revoke"),
                    "tenants:revoke-api-key",
                    slug,
                    key.id,
                    confirm=_("Revoke this key? Programs that use it are refused at once."),
                )
            ],
        )
        for key in keys
    ]


def audit_entries(entries: Iterable[AuditEntry], names: dict[UUID, str]) -> list[Context]:
    return [
        row(
            [
                cell(entry.created_at, kind="time"),
                cell(words.who(entry, names), hint=_mark(entry.actor_id)),
                cell(words.did(entry.action)),
                cell(words.target(entry, names), hint=_mark(entry.target_id)),
                cell(words.detail(entry)),
            ]
        )
        for entry in entries
    ]


def _mark(row_id: UUID | None) -> str:
    """The end of an id, by which lines about the same thing are seen to be so; never broken."""
    return f"…\u2060{row_id.hex[-8:]}" if row_id else ""


def _link(label: str, url_name: str, *ids: Any) -> Context:
    return {"label": label, "url": reverse(url_name, args=ids)}


def _button(label: str, url_name: str, *ids: Any, confirm: str = "") -> Context:
    return _link(label, url_name, *ids) | {"method": "post", "confirm": confirm}
