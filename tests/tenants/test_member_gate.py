"""Who passes the members' gate, and what a view finds behind it."""

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from tenants.models import ApiKey, Role, Tenant
from tenants.services.members import change_role, remove

pytestmark = pytest.mark.urls("tests.tenants.gate_urls")


def test_a_member_is_led_in_and_the_session_remembers_the_tenant(acme, bob, browser_of):
    browser = browser_of(bob)

    answer = browser.get("/t/acme/who/")

    assert answer.json() == {"tenant": "acme", "member": str(bob.id)}
    assert browser.session["tenant"] == "acme"


def test_who_is_not_signed_in_goes_to_the_login_and_comes_back(acme):
    answer = Client().get("/t/acme/who/?tab=mine")
    assert answer["Location"] == "/login/?next=/t/acme/who/%3Ftab%3Dmine"


def test_an_htmx_request_without_sign_in_sends_the_page_to_the_login(acme):
    answer = Client().get("/t/acme/who/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/login/")


def test_a_foreign_tenant_and_an_unknown_one_answer_alike(acme, mallory, browser_of):
    browser = browser_of(mallory)

    foreign, unknown = browser.get("/t/acme/who/"), browser.get("/t/no-such/who/")

    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert _page(foreign) == _page(unknown)
    assert "tenant" not in browser.session


def test_a_missing_permission_is_403_with_a_way_out(acme, bob, browser_of):
    answer = browser_of(bob).get("/t/acme/manage/")
    assert answer.status_code == 403
    assert "Ask an owner or admin" in answer.content.decode()


def test_a_role_taken_away_takes_effect_at_the_next_request(acme, alice, browser_of):
    anna = acme.join("Anna", Role.ADMIN)
    browser = browser_of(anna)
    assert browser.get("/t/acme/manage/").status_code == 200

    with acme.scope():
        change_role(anna, role=Role.VIEWER, by=alice)
    assert browser.get("/t/acme/manage/").status_code == 403

    with acme.scope():
        remove(anna, by=alice)
    assert browser.get("/t/acme/who/").status_code == 404


@pytest.mark.parametrize(("status", "kept"), [(200, 1), (404, 1), (500, 0), (503, 0)])
def test_an_answer_of_500_or_more_undoes_what_was_written(acme, bob, browser_of, status, kept):
    assert browser_of(bob).get(f"/t/acme/fails/{status}/").status_code == status
    with acme.scope():
        assert ApiKey.objects.count() == kept


def test_a_refusal_undoes_what_was_written_and_says_why(acme, bob, browser_of):
    answer = browser_of(bob).get("/t/acme/raises/")

    assert answer.status_code == 409
    assert "Something changed meanwhile" in answer.content.decode()
    with acme.scope():
        assert not ApiKey.objects.exists()


def test_a_suspended_tenant_says_so_to_its_members_only(acme, bob, mallory, browser_of):
    Tenant.objects.filter(slug="acme").update(status=Tenant.Status.SUSPENDED)
    assert browser_of(bob).get("/t/acme/who/").status_code == 403
    assert browser_of(mallory).get("/t/acme/who/").status_code == 404


def test_a_deleted_tenant_is_gone(acme, alice, browser_of):
    Tenant.objects.filter(slug="acme").update(status=Tenant.Status.ENDED)
    assert browser_of(alice).get("/t/acme/who/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_stream_is_admitted_and_holds_no_scope(bob):
    answer = _stream(bob, "/t/acme/stream/")
    assert answer.content.decode() == f"{bob.id} False"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("who", "path", "refusal"),
    [
        ("bob", "/t/no-such/stream/", (404, "not_found")),
        ("mallory", "/t/acme/stream/", (404, "not_found")),
        ("vic", "/t/acme/stream/", (403, "forbidden")),
        (None, "/t/acme/stream/", (401, "unauthenticated")),
    ],
)
def test_a_refused_stream_is_problem_json_whatever_accept_says(who, path, refusal, request, acme):
    request.getfixturevalue("bob")
    member = acme.join("Vic", Role.VIEWER) if who == "vic" else who and request.getfixturevalue(who)
    answer = _stream(member, path)
    assert (answer.status_code, answer.json()["code"]) == refusal


def _stream(member, path):
    client = AsyncClient()
    if member:
        client.force_login(member.user)
    return async_to_sync(client.get)(path, headers={"accept": "text/event-stream"})


def _page(answer):
    """Without the nonce, which differs by design."""
    nonce = answer.wsgi_request.csp_nonce
    return answer.content.decode().replace(nonce, "")
