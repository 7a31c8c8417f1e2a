"""The pages about people, keys and the record, as the people use them."""

import re

import pytest

from tenants.models import ApiKey, AuditEntry, Invitation, Role, WidgetKey
from tenants.services.audit import record


@pytest.fixture
def desk(alice, browser_of):
    return browser_of(alice)


def text(answer):
    return answer.content.decode()


def test_the_team_page_shows_teammates_and_open_invitations(desk, bob):
    desk.post("/t/acme/team/invite/", {"email": "nina@example.org", "role": "viewer"})
    page = text(desk.get("/t/acme/team/"))
    assert "Bob" in page
    assert "nina@example.org" in page


def test_inviting_shows_a_link_once_that_lets_somebody_in(desk, client):
    page = text(desk.post("/t/acme/team/invite/", {"email": "nina@example.org", "role": "viewer"}))

    link = re.search(r"http://testserver(/invitations/inv_\S+?/)", page)
    assert link
    assert client.get(link[1]).status_code == 200
    assert link[1] not in text(desk.get("/t/acme/team/"))


def test_a_refused_role_stays_on_the_form_and_says_what_to_do(desk, alice):
    answer = desk.post(f"/t/acme/team/{alice.id}/role/", {"role": "viewer"})
    assert answer.status_code == 422
    assert "Make somebody else an owner first" in text(answer)


def test_an_admin_is_not_offered_the_role_of_owner(acme, bob, browser_of):
    admin = acme.join("Adam", Role.ADMIN)
    browser = browser_of(admin)
    assert 'value="owner"' not in text(browser.get(f"/t/acme/team/{bob.id}/role/"))
    assert browser.post(f"/t/acme/team/{bob.id}/role/", {"role": "owner"}).status_code == 422


def test_removing_a_teammate_says_so(desk, bob):
    answer = desk.post(f"/t/acme/team/{bob.id}/remove/", follow=True)
    assert "The teammate was removed" in text(answer)


def test_taking_an_invitation_back(desk, acme):
    desk.post("/t/acme/team/invite/", {"email": "nina@example.org", "role": "viewer"})
    with acme.scope():
        invitation = Invitation.objects.get()
    desk.post(f"/t/acme/team/invitations/{invitation.id}/take-back/")
    with acme.scope():
        assert not Invitation.objects.exists()


def test_a_widget_key_is_added_changed_and_its_secret_rotated(desk, acme):
    answer = desk.post(
        "/t/acme/keys/add/", {"label": "Shop", "allowed_origins": "https://a.example.com"}
    )
    assert "Identity secret" in text(answer)
    with acme.scope():
        key = WidgetKey.objects.get()

    changed = {"label": "Blog", "allowed_origins": "https://b.example.com\nhttps://c.example.com"}
    assert desk.post(f"/t/acme/keys/{key.id}/", changed).status_code == 302
    with acme.scope():
        key.refresh_from_db()
        assert (key.label, key.active, len(key.allowed_origins)) == ("Blog", False, 2)
    assert "Copy it now" in text(desk.post(f"/t/acme/keys/{key.id}/rotate/"))
    assert "Blog" in text(desk.get("/t/acme/keys/"))


def test_a_bad_origin_is_named_beside_its_field(desk):
    answer = desk.post("/t/acme/keys/add/", {"label": "Shop", "allowed_origins": "*.example.com"})
    assert answer.status_code == 422
    assert "*.example.com: Write each origin like" in text(answer)


def test_an_api_key_is_shown_once_and_revoked(desk, acme):
    page = text(desk.post("/t/acme/api-keys/add/", {"label": "script"}))
    token = re.search(r"ak_\w{32}_[\w-]{43}", page)
    assert token
    assert token[0] not in text(desk.get("/t/acme/api-keys/"))
    with acme.scope():
        key = ApiKey.objects.get()
    assert "opens nothing now" in text(desk.post(f"/t/acme/api-keys/{key.id}/revoke/", follow=True))


def test_the_record_pages_backwards_without_gap_or_repeat(desk, acme, alice):
    with acme.scope():
        for number in range(120):
            record("test.done", by=alice, detail={"n": number})
    seen, address = [], "/t/acme/audit/?action=test.done"
    while address:
        page = text(desk.get(address))
        seen += [int(n) for n in re.findall(r"<bdi>n: (\d+)<", page)]
        older = re.search(r'href="(\?[^"]+)" rel="next"', page)
        address = f"/t/acme/audit/{older[1].replace('&amp;', '&')}" if older else ""
    assert seen == list(range(119, -1, -1))


def test_the_record_ignores_a_filter_that_makes_no_sense(desk):
    assert desk.get("/t/acme/audit/?actor=nobody&before=1").status_code == 200


def test_every_change_left_its_line(desk, acme, bob):
    desk.post(f"/t/acme/team/{bob.id}/role/", {"role": "viewer"})
    desk.post(f"/t/acme/team/{bob.id}/remove/")
    desk.post("/t/acme/keys/add/", {"label": "Shop"})
    with acme.scope():
        actions = set(AuditEntry.objects.values_list("action", flat=True))
        details = str(list(AuditEntry.objects.values_list("detail", flat=True)))
    assert {"member.role_changed", "member.removed", "widget_key.created"} <= actions
    assert "Bob" not in details
    assert "@" not in details
