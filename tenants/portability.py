"""How this app's tables travel."""

from uuid import UUID

from tenants.models import (
    ApiKey,
    AuditEntry,
    AuditKey,
    AuditLink,
    Invitation,
    Member,
    StaffVisit,
    User,
    WidgetKey,
)
from tenants.portable import Ids, Values, stays, travels

_MADE_ANEW = "A secret of this installation; make a new one."


def _member_leaves(member: Member) -> Values:
    return {"email": member.user.email, "name": member.user.name}


def _member_arrives(values: Values, ids: Ids) -> Values | None:
    """The account of that address, or a new one without a password: an invitation gives it one."""
    email, name = values.pop("email"), values.pop("name")
    user = User.objects.filter(email__iexact=email).first()
    here = Member.objects.filter(user=user).first() if user else None
    if here is not None:
        ids.same(UUID(values["id"]), here.id)
        return None
    values["user_id"] = (user or User.objects.create_user(email, name=name)).id
    return values


travels(
    Member,
    without=["user"],
    related=("user",),
    departing=_member_leaves,
    arriving=_member_arrives,
)
travels(WidgetKey, without=["key", "identity_secret"], arrives=False)
travels(AuditEntry, arrives=False)
stays(AuditLink, "The chain of the record; it is verified where it was made.")
stays(StaffVisit, "Visits of the staff of this installation.")
stays(AuditKey, _MADE_ANEW)
stays(ApiKey, _MADE_ANEW)
stays(Invitation, _MADE_ANEW)
