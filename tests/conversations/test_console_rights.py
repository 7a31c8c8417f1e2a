"""Who may do what in the inbox, one row an address: allowed, 403, 404 and the login."""

import pytest

from tests.support.cast import Cast
from tests.support.console import Browser

READ = [
    "conversations:thread",
    "conversations:lines",
    "conversations:header",
    "conversations:composer",
    "conversations:details",
    "agents:turns",
    "agents:pending-approvals",
]
WRITE = {
    "conversations:say": {"mode": "note", "text": "a note"},
    "conversations:take-over": {},
    "conversations:hand-back": {},
    "conversations:resolve": {},
    "conversations:reopen": {},
    "conversations:snooze": {"choice": "hour"},
    "conversations:title": {"title": "A title"},
    "conversations:stage": {"stage": ""},
    "conversations:assign": {"assignee": ""},
    "conversations:labels": {},
}
ANSWERING, READING = ["olga", "alice", "bob"], ["petra", "vera"]


@pytest.mark.parametrize("name", READ)
def test_every_member_reads(browser_of, talk, name):
    for person in ANSWERING + READING:
        assert browser_of(person).get(name, talk.id).status_code == 200, person


@pytest.mark.parametrize("name", WRITE)
def test_support_writes_and_others_are_told_whom_to_ask(browser_of, talk, name):
    for person in ANSWERING:
        assert browser_of(person).post(name, talk.id, **WRITE[name]).status_code == 302, person
    for person in READING:
        answer = browser_of(person).post(name, talk.id, **WRITE[name])
        assert answer.status_code == 403, person
        assert "Ask an owner or admin" in answer.content.decode()


@pytest.mark.parametrize("name", [*READ, *WRITE])
def test_another_tenants_admin_finds_nothing(browser_of, talk, name):
    mallory = browser_of("mallory")
    ask = mallory.post if name in WRITE else mallory.get
    assert ask(name, talk.id).status_code == 404


@pytest.mark.parametrize("name", [*READ, *WRITE])
def test_a_foreign_id_under_ones_own_tenant_is_absent(cast: Cast, talk, name):
    mallory = Browser(cast.globex, cast.globex.mallory)
    ask = mallory.post if name in WRITE else mallory.get
    assert ask(name, talk.id, **WRITE.get(name, {})).status_code == 404


@pytest.mark.parametrize("name", [*READ, *WRITE])
def test_who_is_not_signed_in_goes_to_the_login(browser_of, talk, name):
    nobody = browser_of("nobody")
    answer = (nobody.post if name in WRITE else nobody.get)(name, talk.id)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/")


@pytest.mark.parametrize("name", WRITE)
def test_a_link_changes_nothing(browser_of, talk, name):
    assert browser_of("bob").get(name, talk.id).status_code == 405


def test_an_htmx_refusal_is_a_toast_and_swaps_nothing(browser_of, talk):
    answer = browser_of("vera").post("conversations:resolve", talk.id, target="conversation")

    assert (answer.status_code, answer["HX-Reswap"]) == (403, "none")
    assert "Ask an owner or admin" in answer["HX-Trigger"]


def test_a_viewer_sees_no_button_that_would_be_refused(browser_of, talk):
    page = browser_of("vera").get("conversations:thread", talk.id).content.decode()

    assert "take-over" not in page
    assert "Answering needs the role of a support agent" in page
