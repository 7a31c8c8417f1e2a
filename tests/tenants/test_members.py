"""Who belongs to a team changes by its rules only, and every change leaves one line."""

import pytest

from tenants import access
from tenants.errors import Forbidden, NotFound, Unauthenticated
from tenants.hooks import member_removed
from tenants.models import AuditEntry, Member, Role
from tenants.services import keys
from tenants.services.members import (
    AlreadyMember,
    LastOwner,
    NotYourRole,
    change_role,
    create_member,
    remove,
)


def test_an_owner_changes_a_role(acme, alice, bob):
    with acme.scope():
        change_role(bob, role=Role.ADMIN, by=alice)

        bob.refresh_from_db()
        assert bob.role == Role.ADMIN


def test_a_change_leaves_one_line_without_names(acme, alice, bob):
    with acme.scope():
        change_role(bob, role=Role.ADMIN, by=alice)

        entry = AuditEntry.objects.get(action="member.role_changed")
        assert (entry.actor_id, entry.target_id) == (alice.id, bob.id)
        assert entry.detail == {"from": "support_agent", "to": "admin"}


def test_the_last_owner_can_neither_step_down_nor_leave(acme, alice):
    with acme.scope():
        with pytest.raises(LastOwner):
            change_role(alice, role=Role.ADMIN, by=alice)
        with pytest.raises(LastOwner):
            remove(alice, by=alice)


def test_one_of_two_owners_may_step_down(acme, alice):
    anna = acme.join("Anna", Role.OWNER)
    with acme.scope():
        change_role(alice, role=Role.VIEWER, by=alice)
        with pytest.raises(LastOwner):
            remove(anna, by=anna)


@pytest.mark.parametrize("role", [Role.OWNER, Role.PRIVACY_OFFICER])
def test_an_admin_cannot_raise_their_own_role(acme, alice, role):
    admin = acme.join("Adam", Role.ADMIN)
    with acme.scope(), pytest.raises((Forbidden, NotYourRole)):
        change_role(admin, role=role, by=admin)


def test_only_owners_make_owners_or_touch_them(acme, alice, bob):
    admin = acme.join("Adam", Role.ADMIN)
    with acme.scope():
        with pytest.raises(Forbidden):
            change_role(bob, role=Role.OWNER, by=admin)
        with pytest.raises(Forbidden):
            change_role(alice, role=Role.VIEWER, by=admin)
        with pytest.raises(Forbidden):
            remove(alice, by=admin)


def test_a_support_agent_manages_nobody(acme, alice, bob):
    with acme.scope(), pytest.raises(Forbidden):
        remove(acme.join("Vic", Role.VIEWER), by=bob)


def test_a_removed_member_is_gone_and_so_are_her_keys(acme, alice, bob):
    with acme.scope():
        _, token = keys.create_api_key(bob, label="script")
        assert access.member_for_api_key(token) == bob

        remove(bob, by=alice)

        with pytest.raises(Unauthenticated):
            access.member_for_api_key(token)
        with pytest.raises(NotFound):
            access.member_of(bob.user, acme.tenant)
        assert Member.objects.filter(id=bob.id).exists()


def test_apps_above_are_told_inside_the_transaction(acme, alice, bob):
    told = []

    def listen(member, by, **_):
        told.append((member, by, Member.objects.get(id=member.id).active))

    member_removed.connect(listen)
    try:
        with acme.scope():
            remove(bob, by=alice)
    finally:
        member_removed.disconnect(listen)
    assert told == [(bob, alice, False)]


def test_who_was_removed_may_come_back_in_another_role(acme, alice, bob):
    with acme.scope():
        remove(bob, by=alice)
        again = create_member(bob.user, role=Role.VIEWER, by=alice)

        assert (again.id, again.role, again.active) == (bob.id, Role.VIEWER, True)
        with pytest.raises(AlreadyMember):
            create_member(bob.user, role=Role.VIEWER, by=alice)


def test_a_member_who_was_demoted_meanwhile_can_do_nothing_any_more(acme, alice, bob):
    anna = acme.join("Anna", Role.OWNER)
    with acme.scope():
        change_role(anna, role=Role.VIEWER, by=alice)
        with pytest.raises(Forbidden):
            remove(bob, by=anna)
