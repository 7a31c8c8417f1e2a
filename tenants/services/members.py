"""Who belongs to a tenant, and as what.

Every change locks the rows that its rule reads, so that two owners cannot demote each other at
the same moment and leave the tenant without one.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from tenants.errors import Conflict, Forbidden, NotFound
from tenants.hooks import member_removed
from tenants.models import IN_THE_TEAM, Member, Role, User
from tenants.permissions import ROLE_PERMISSIONS, Permission, may
from tenants.services import audit, keys
from tenants.services.audit import Who


class LastOwner(Conflict):
    """A tenant keeps at least one owner."""

    code = "last_owner"
    title = "This is the last owner"
    detail = "Make somebody else an owner first; a team cannot be without one."


class AlreadyMember(Conflict):
    """The person has a place in this tenant."""

    code = "already_member"
    title = "Already in the team"
    detail = "This person is in your team. Change the role on the team page instead."


class NotYourRole(Forbidden):
    """Nobody gives themselves more than they have."""

    code = "own_role"
    detail = "You cannot give yourself another role. Ask another owner or admin of your team."


@transaction.atomic
def create_member(user: User, *, role: str, by: Who | None) -> Member:
    """A place for the user; a former place is filled again. `by` None means that they joined."""
    if isinstance(by, Member):
        check_may_grant(by, role)
    member, created = Member.objects.select_for_update().get_or_create(
        user=user, defaults={"role": role}
    )
    if not created and member.active:
        raise AlreadyMember
    if not created:
        member.role, member.active = role, True
        member.save(update_fields=["role", "active"])
    audit.record("member.joined", by=by or member, target=member, detail={"role": role})
    return member


@transaction.atomic
def change_role(member: Member, *, role: str, by: Member) -> Member:
    """Raises `Forbidden` when `by` may not give or take this role, `LastOwner` for the last one."""
    team = _locked(member, by)
    check_may_grant(team.by, role, team.member.role)
    if team.member == team.by and not ROLE_PERMISSIONS[role] <= ROLE_PERMISSIONS[team.by.role]:
        raise NotYourRole
    before = team.member.role
    if before == role:
        return team.member
    if role != Role.OWNER:
        _keep_an_owner(team)
    team.member.role = role
    team.member.save(update_fields=["role"])
    detail = {"from": before, "to": role}
    audit.record("member.role_changed", by=by, target=member, detail=detail)
    return team.member


@transaction.atomic
def remove(member: Member, *, by: Member) -> None:
    """Ends the place and every API key that acts for it; `member_removed` is sent.

    Members may remove themselves. The row stays, so that what they wrote keeps its author.
    """
    team = _locked(member, by)
    if team.member != team.by:
        check_may_grant(team.by, team.member.role)
    _keep_an_owner(team)
    team.member.active = False
    team.member.save(update_fields=["active"])
    revoked = keys.revoke_api_keys_of(team.member)
    audit.record("member.removed", by=by, target=member, detail={"api_keys": revoked})
    member_removed.send(Member, member=team.member, by=by)


def check_may_grant(by: Member, *roles: str) -> None:
    """Members are managed by those who may; roles of owners by owners only."""
    needed = Permission.OWNERS if Role.OWNER in roles else Permission.MEMBERS
    if not may(by, needed):
        raise Forbidden


class _Team(NamedTuple):
    """The rows that a change of the team depends on, locked and fresh."""

    member: Member
    by: Member
    owners: list[Member]


def _locked(member: Member, by: Member) -> _Team:
    wanted = Q(id__in=[member.id, by.id]) | Q(role=Role.OWNER)
    rows = (
        Member.objects.filter(IN_THE_TEAM & wanted)
        .select_related("user")
        .select_for_update(of=("self",))
        .order_by("id")
    )
    found = {row.id: row for row in rows}
    if member.id not in found or by.id not in found:
        raise NotFound
    return _Team(found[member.id], found[by.id], _owners(found.values()))


def _owners(members: Iterable[Member]) -> list[Member]:
    return [member for member in members if member.role == Role.OWNER]


def _keep_an_owner(team: _Team) -> None:
    if team.owners == [team.member]:
        raise LastOwner
