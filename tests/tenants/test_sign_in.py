"""Signing in tells nothing about who has an account, and cannot be tried for ever."""

import psycopg
import pytest
import redis
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tenants import quick_redis
from tenants.models import Member, Role, User
from tenants.services.sign_in import forget_ended_sessions
from tests.support.hashers import CountingHasher
from tests.support.queries import as_backup
from tests.tenants.conftest import PASSWORD


@pytest.fixture(autouse=True)
def fresh_counts(settings):
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()
    quick_redis.breaker.closed_again_at = 0


def sign_in(client, email, password=PASSWORD, **more):
    return client.post("/login/", {"username": email, "password": password, **more})


def test_the_right_password_leads_on_and_changes_the_session(bob):
    client = Client()
    client.get("/login/")
    session = client.session
    session["planted"] = "by somebody else"
    session.save()
    before = session.session_key
    client.cookies["desk"] = str(before)

    answer = sign_in(client, bob.email, next="/t/acme/who/")

    assert (answer.status_code, answer["Location"]) == (302, "/t/acme/who/")
    assert client.session.session_key != before


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example.com/", "//evil.example.com", "javascript:1"]
)
def test_the_way_on_leads_nowhere_else(bob, elsewhere):
    assert sign_in(Client(), bob.email, next=elsewhere)["Location"] == "/"


def test_known_and_unknown_addresses_get_the_same_answer(bob, acme):
    gone = acme.join("Gus", Role.VIEWER)
    User.objects.filter(id=gone.user_id).update(is_active=False)

    pages = [
        _refusal(bob.email, "wrong"),
        _refusal("nobody@example.org", "wrong"),
        _refusal(gone.email, PASSWORD),
    ]

    assert len(set(pages)) == 1
    assert "The address or the password is not right" in pages[0]


def test_known_and_unknown_addresses_cost_the_same_work(bob, settings):
    settings.PASSWORD_HASHERS = ["tests.support.hashers.CountingHasher"]
    known = User.objects.create_user("slow@example.org", PASSWORD, name="Slow")

    def hashes(email):
        before = CountingHasher.derived
        _refusal(email, "wrong")
        return CountingHasher.derived - before

    assert hashes(known.email) == hashes("nobody@example.org") == 1


def test_after_ten_tries_even_the_right_password_waits(bob):
    for _ in range(10):
        assert sign_in(Client(), bob.email, "wrong").status_code == 422

    answer = sign_in(Client(), bob.email)

    assert answer.status_code == 422
    assert "Wait 15 minutes" in answer.content.decode()
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7"), bob.email).status_code == 302


def test_a_success_starts_the_count_over(bob):
    for _ in range(3):
        for _ in range(9):
            sign_in(Client(), bob.email, "wrong")
        assert sign_in(Client(), bob.email).status_code == 302


def test_without_redis_people_still_sign_in(bob):
    quick_redis.breaker.trip()
    assert sign_in(Client(), bob.email).status_code == 302


def test_a_huge_password_is_refused_before_it_is_hashed(bob, settings):
    settings.PASSWORD_HASHERS = ["tests.support.hashers.CountingHasher"]
    before = CountingHasher.derived

    assert sign_in(Client(), bob.email, "x" * 100_000).status_code == 422
    assert CountingHasher.derived == before


@pytest.mark.django_db(transaction=True)
def test_sign_ins_leave_lines_that_belong_to_no_tenant(bob):
    client = Client()
    sign_in(client, bob.email, "wrong")
    sign_in(client, bob.email)
    client.post("/logout/")

    with psycopg.connect(as_backup()) as backup:
        lines = backup.execute(
            "SELECT action, actor_id, tenant_id FROM tenants_auditentry"
            " WHERE action LIKE 'sign%' ORDER BY created_at"
        ).fetchall()
    user = bob.user_id
    assert lines == [
        ("sign_in.failed", None, None),
        ("sign_in", user, None),
        ("sign_out", user, None),
    ]


def test_home_leads_to_the_only_team_or_offers_a_choice(acme, globex, bob, browser_of):
    browser = browser_of(bob)
    assert browser.get("/")["Location"] == "/t/acme/"

    with globex.scope():
        Member.objects.create(user=bob.user, role=Role.VIEWER)
    page = browser.get("/").content.decode()
    assert "/t/acme/" in page
    assert "/t/globex/" in page


def test_home_without_sign_in_leads_to_the_login(db):
    assert Client().get("/")["Location"] == "/login/?next=/"


def _refusal(email, password):
    answer = sign_in(Client(), email, password)
    assert answer.status_code == 422
    html = answer.content.decode()
    start = html.index('class="problem-box"')
    return html[start : html.index("</form>", start)].replace(email, "").split("<label")[0]


def test_sessions_that_have_ended_are_forgotten_and_others_go_on(bob):
    here, gone = Client(), Client()
    for client in (here, gone):
        sign_in(client, bob.email)
    Session.objects.filter(pk=gone.session.session_key).update(expire_date=timezone.now())
    assert forget_ended_sessions() == 1
    assert Session.objects.filter(pk=here.session.session_key).exists()
    assert forget_ended_sessions() == 0
