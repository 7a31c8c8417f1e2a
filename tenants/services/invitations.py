"""Asking people into a team, and their answer."""

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from tenants import crypto
from tenants.errors import Forbidden, NotFound
from tenants.models import IN_THE_TEAM, Invitation, Member, User
from tenants.scoping import current_tenant_id
from tenants.services import audit, members

LASTS = timedelta(days=7)


class AnotherAddress(Forbidden):
    """The invitation was for somebody else's address."""

    code = "another_address"
    detail = "This invitation is for another address. Sign out and sign in with that address."


@transaction.atomic
def invite(*, email: str, role: str, by: Member) -> tuple[Invitation, str]:
    """The invitation and its token, which is shown once; an older open one to the address ends."""
    members.check_may_grant(by, role)
    if Member.objects.filter(IN_THE_TEAM, user__email__iexact=email).exists():
        raise members.AlreadyMember
    Invitation.objects.filter(email__iexact=email, accepted_at__isnull=True).delete()
    token = crypto.new_token(crypto.INVITATION, current_tenant_id())
    invitation = Invitation.objects.create(
        email=email,
        role=role,
        token_hash=crypto.hash_token(token),
        invited_by=by,
        expires_at=Now() + LASTS,
    )
    audit.record("invitation.sent", by=by, target=invitation, detail={"role": role})
    return invitation, token


@transaction.atomic
def take_back(invitation: Invitation, *, by: Member) -> None:
    """Ends an invitation that nobody has accepted."""
    audit.record("invitation.taken_back", by=by, target=invitation)
    Invitation.objects.filter(id=invitation.id, accepted_at__isnull=True).delete()


@transaction.atomic
def accept(invitation: Invitation, *, user: User) -> Member:
    """The user takes the place; the invitation counts once."""
    if invitation.email.lower() != user.email.lower():
        raise AnotherAddress
    if not Invitation.objects.filter(id=invitation.id, accepted_at__isnull=True).update(
        accepted_at=Now()
    ):
        raise NotFound
    return members.create_member(user, role=invitation.role, by=None)


@transaction.atomic
def accept_as_new(invitation: Invitation, *, name: str, password: str) -> Member:
    """Makes the account first; the mailed token has proved the address."""
    user = User.objects.create_user(invitation.email, password, name=name)
    return accept(invitation, user=user)
