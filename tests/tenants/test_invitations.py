"""An invitation works once, for its address, for seven days."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from tenants import access
from tenants.errors import Forbidden, NotFound
from tenants.models import Invitation, Member, Role, User
from tenants.services import invitations
from tenants.services.members import AlreadyMember

EMAIL = "Nina@acme.example.com"


def test_the_invited_make_an_account_and_are_in(acme, alice):
    with acme.scope():
        _, token = invitations.invite(email=EMAIL, role=Role.VIEWER, by=alice)

    client = Client()
    answer = client.post(
        f"/invitations/{token}/", {"name": "Nina", "password": "a long enough phrase"}
    )

    assert (answer.status_code, answer["Location"]) == (302, "/t/acme/")
    with acme.scope():
        assert Member.objects.get(user__email__iexact=EMAIL).role == Role.VIEWER
    assert client.get(f"/invitations/{token}/").status_code == 404


def test_who_has_an_account_signs_in_first_and_joins_with_a_button(
    acme, alice, mallory, browser_of
):
    with acme.scope():
        _, token = invitations.invite(email=mallory.email, role=Role.VIEWER, by=alice)

    assert Client().get(f"/invitations/{token}/")["Location"].startswith("/login/?next=")
    browser = browser_of(mallory)
    assert browser.get(f"/invitations/{token}/").status_code == 200
    assert browser.post(f"/invitations/{token}/")["Location"] == "/t/acme/"


def test_somebody_else_who_finds_the_link_stays_outside(acme, alice, mallory, browser_of):
    with acme.scope():
        _, token = invitations.invite(email=EMAIL, role=Role.OWNER, by=alice)

    assert browser_of(mallory).post(f"/invitations/{token}/", {"x": "1"}).status_code == 422
    with acme.scope():
        assert not Member.objects.filter(user=mallory.user).exists()


def test_a_weak_password_is_refused_with_what_to_do(acme, alice):
    with acme.scope():
        _, token = invitations.invite(email=EMAIL, role=Role.VIEWER, by=alice)

    answer = Client().post(f"/invitations/{token}/", {"name": "Nina", "password": "short"})

    assert answer.status_code == 422
    assert "at least 12 characters" in answer.content.decode()
    assert not User.objects.filter(email__iexact=EMAIL).exists()


def test_a_new_invitation_voids_the_older_one(acme, alice):
    with acme.scope():
        _, old = invitations.invite(email=EMAIL, role=Role.VIEWER, by=alice)
        _, new = invitations.invite(email=EMAIL.lower(), role=Role.ADMIN, by=alice)

        with pytest.raises(NotFound):
            access.open_invitation(old)
        assert access.open_invitation(new).role == Role.ADMIN


def test_an_expired_or_foreign_token_opens_nothing(acme, globex, alice):
    with acme.scope():
        invitation, token = invitations.invite(email=EMAIL, role=Role.VIEWER, by=alice)
    with globex.scope(), pytest.raises(NotFound):
        access.open_invitation(token)
    with acme.scope():
        Invitation.objects.filter(id=invitation.id).update(expires_at=Now() - timedelta(seconds=1))
        with pytest.raises(NotFound):
            access.open_invitation(token)


def test_nobody_is_invited_twice_or_above_the_inviter(acme, alice, bob):
    admin = acme.join("Adam", Role.ADMIN)
    with acme.scope():
        with pytest.raises(AlreadyMember):
            invitations.invite(email=bob.email.upper(), role=Role.VIEWER, by=alice)
        with pytest.raises(Forbidden):
            invitations.invite(email=EMAIL, role=Role.OWNER, by=admin)
        with pytest.raises(Forbidden):
            invitations.invite(email=EMAIL, role=Role.VIEWER, by=bob)


def test_an_invitation_taken_back_is_void(acme, alice):
    with acme.scope():
        invitation, token = invitations.invite(email=EMAIL, role=Role.VIEWER, by=alice)
        invitations.take_back(invitation, by=alice)
        with pytest.raises(NotFound):
            access.open_invitation(token)
