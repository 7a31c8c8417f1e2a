"""The member API: what the inbox shows, what members do, and who may."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from conversations.models import Conversation, FunnelStage, Label, MessageEdit
from conversations.services.messages import start_conversation
from tenants.models import ApiKey, Tenant
from tenants.services import members
from tests.support.widget import Widget, signed

pytestmark = pytest.mark.django_db
API = "/api/v1"


class Caller:
    """The member API in a person's hands."""

    def __init__(self, person):
        self.client = person.client()

    def get(self, path, **query):
        return self.client.get(f"{API}/{path}", query_params=query)

    def send(self, path, body=None, method="post"):
        call = getattr(self.client, method)
        return call(f"{API}/{path}", body if body is not None else {}, "application/json")


@pytest.fixture
def bob(cast):
    return Caller(cast.acme.bob)


@pytest.fixture
def talk(cast):
    with cast.acme.scope():
        return start_conversation(cast.carol, client_key=uuid4(), text="Where is it?").conversation


def say(bob, talk, text="Here", **more):
    body = {"client_key": str(uuid4()), "text": text} | more
    return bob.send(f"conversations/{talk.id}/replies", body)


def ids(answer):
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["results"]]


def test_the_inbox_lists_and_the_detail_opens_the_same_talk(bob, talk):
    assert ids(bob.get("conversations")) == [str(talk.id)]

    detail = bob.get(f"conversations/{talk.id}").json()

    assert (detail["status"], detail["handler"], detail["unread_count"]) == ("open", "agent", 1)
    assert detail["customer"]["name"] == "Carol"
    assert detail["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost": "0.000000"}


@pytest.mark.parametrize("rare", [500, 0])
def test_filters_narrow_the_inbox(cast, bob, talk, rare, monkeypatch):
    monkeypatch.setattr(
        "conversations.selectors.inbox.RARE_LABEL", rare
    )  # 0: every label is common
    with cast.acme.scope():
        stage = FunnelStage.objects.create(name="Offer", position=1)
        Label.objects.create(name="vip")
    bob.send(
        f"conversations/{talk.id}",
        {"stage": "Offer", "assignee": "me", "labels": ["vip"], "title": "Lost parcel"},
        "patch",
    )

    for query in (
        {"status": "open"}, {"handler": "team"}, {"assignee": "me"}, {"stage": stage.name},
        {"assignee": str(cast.acme.bob.member.id)}, {"label": "vip"}, {"q": "parcel"},
        {"q": "carol"}, {"status": "active"}, {"sort": "waiting"}, {"sort": "created"},
    ):  # fmt: skip
        assert ids(bob.get("conversations", **query)) == [str(talk.id)], query
    for query in (
        {"status": "resolved"}, {"handler": "agent"}, {"assignee": "none"}, {"q": "100%_\\';--"},
        {"stage": "Other"}, {"label": "other"}, {"assignee": str(uuid4())},
    ):  # fmt: skip
        assert ids(bob.get("conversations", **query)) == [], query


@pytest.mark.parametrize(
    "query",
    [
        {"ordering": "password"},
        {"sort": "customer__email"},
        {"status": "pending"},
        {"handler": "bot"},
        {"assignee": "somebody"},
        {"limit": 201},
        {"cursor": "x"},
        {"cursor": "W10="},
        {"assignee__user__password": "x"},
        {"q": "a\0b"},
    ],
)
def test_unknown_sorts_filters_and_values_are_refused_and_named(bob, query):
    answer = bob.get("conversations", **query)

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == list(query)


@pytest.mark.parametrize("sort", ["last_message", "waiting", "created"])
def test_pages_by_cursor_neither_repeat_nor_skip(cast, bob, sort):
    with cast.acme.scope():
        for number in range(7):
            start_conversation(cast.carol, client_key=uuid4(), text=str(number))
        # Equal times: the id must decide.
        now = timezone.now()
        Conversation.objects.update(last_message_at=now, waiting_since=now)

    seen, cursor = [], {}
    for _ in range(4):
        page = bob.get("conversations", sort=sort, limit=2, **cursor).json()
        seen += [row["id"] for row in page["results"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert len(seen) == len(set(seen)) == 7


def test_a_cursor_of_another_sort_is_refused(cast, bob):
    with cast.acme.scope():
        for number in range(2):
            start_conversation(cast.carol, client_key=uuid4(), text=str(number))
    cursor = bob.get("conversations", limit=1).json()["next"]

    assert bob.get("conversations", sort="created", cursor=cursor).status_code == 400


def test_a_reply_is_a_takeover(bob, talk):
    answer = say(bob, talk)

    assert (answer.status_code, answer.json()["author"]) == (201, {"kind": "member", "name": "Bob"})
    detail = bob.get(f"conversations/{talk.id}").json()
    assert (detail["handler"], detail["assignee"]["name"]) == ("team", "Bob")
    assert [
        event["event"] for event in bob.get(f"conversations/{talk.id}/events").json()["results"]
    ] == ["taken_over"]


def test_a_stale_reply_stops_once_and_says_what_came(cast, bob, talk):
    body = {"client_key": str(uuid4()), "text": "Monday", "seen_seq": 0}
    address = f"conversations/{talk.id}/replies"

    stopped = bob.send(address, body)

    assert (stopped.status_code, stopped.json()["code"]) == (409, "newer_messages")
    assert [line["text"] for line in stopped.json()["messages"]] == ["Where is it?"]
    assert bob.send(address, body | {"seen_seq": stopped.json()["newest_seq"]}).status_code == 201
    assert bob.send(address, body).status_code == 200


def test_a_repeated_reply_is_one_message_and_other_words_a_conflict(bob, talk):
    body = {"client_key": str(uuid4()), "text": "Monday"}
    address = f"conversations/{talk.id}/replies"

    assert [bob.send(address, body).status_code for _ in range(2)] == [201, 200]
    assert bob.send(address, body | {"text": "Tuesday"}).json()["code"] == "client_key_reused"
    assert len(bob.get(f"conversations/{talk.id}/messages").json()["results"]) == 2


def test_acts_are_idempotent_and_leave_one_line_each(bob, talk):
    until = (timezone.now() + timedelta(hours=1)).isoformat()
    for act, body, status in (
        ("take-over", {}, "open"),
        ("snooze", {"until": until}, "snoozed"),
        ("reopen", {}, "open"),
        ("resolve", {}, "resolved"),
        ("reopen", {}, "open"),
        ("hand-back", {}, "open"),
    ):
        for _ in range(2):
            answer = bob.send(f"conversations/{talk.id}/{act}", body)
            assert (answer.status_code, answer.json()["status"]) == (200, status), act

    events = bob.get(f"conversations/{talk.id}/events").json()["results"]
    assert [event["event"] for event in events] == [
        "taken_over", "snoozed", "reopened", "resolved", "reopened", "handed_back",
    ]  # fmt: skip
    assert {event["by"]["name"] for event in events} == {"Bob"}


def test_a_snooze_needs_a_time_to_come(bob, talk):
    address = f"conversations/{talk.id}/snooze"
    past = (timezone.now() - timedelta(minutes=1)).isoformat()

    for body in ({}, {"until": "soon"}, {"until": past}, {"until": past, "unit": 1}):
        answer = bob.send(address, body)
        assert answer.status_code == 400
        assert answer.json()["errors"]


def test_a_note_is_read_by_members_only(cast, bob):
    ada = Widget(cast.acme)
    ada.start()
    talk = ada.talk()

    note = bob.send(f"conversations/{talk}/notes", {"text": "fraud **check**"})

    assert (note.status_code, note.json()["kind"]) == (201, "note")
    assert [row["text"] for row in bob.get(f"conversations/{talk}/notes").json()["results"]] == [
        "fraud **check**"
    ]
    assert b"fraud" not in ada.get(f"conversations/{talk}/messages").content
    assert b"fraud" not in ada.get("conversations").content
    assert b"fraud" not in bob.get(f"conversations/{talk}/messages").content


def test_notes_and_events_page_by_cursor(bob, talk):
    for number in range(5):
        bob.send(f"conversations/{talk.id}/notes", {"text": str(number)})
    first = bob.get(f"conversations/{talk.id}/notes", limit=3).json()
    rest = bob.get(f"conversations/{talk.id}/notes", limit=3, cursor=first["next"]).json()

    texts = [note["text"] for note in first["results"] + rest["results"]]
    assert (texts, rest["next"]) == (["0", "1", "2", "3", "4"], None)


def test_a_change_is_all_or_nothing(bob, talk):
    answer = bob.send(
        f"conversations/{talk.id}", {"title": "New", "labels": ["no such label"]}, "patch"
    )

    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["labels"])
    assert bob.get(f"conversations/{talk.id}").json()["title"] == ""
    assert bob.get(f"conversations/{talk.id}/events").json()["results"] == []


def test_assignees_are_teammates_who_answer(cast, bob, talk):
    address = f"conversations/{talk.id}"
    stranger, viewer = cast.globex.mallory.member.id, cast.acme.vera.member.id

    assert bob.send(address, {"assignee": str(stranger)}, "patch").status_code == 404
    assert bob.send(address, {"assignee": str(viewer)}, "patch").status_code == 400
    assert bob.send(address, {"assignee": "you"}, "patch").status_code == 400
    alice = str(cast.acme.alice.member.id)
    assert bob.send(address, {"assignee": alice}, "patch").json()["assignee"]["name"] == "Alice"
    assert bob.send(address, {"assignee": None}, "patch").json()["assignee"] is None


def test_an_edit_keeps_history_and_a_redaction_none(cast, bob, talk):
    message = bob.get(f"conversations/{talk.id}/messages").json()["results"][0]

    edited = bob.send(f"messages/{message['id']}", {"text": "card 4111"}, "patch").json()
    with cast.acme.scope():
        assert MessageEdit.objects.get().text == "Where is it?"
    redacted = bob.send(f"messages/{message['id']}/redact", {"start": 5, "end": 9}).json()

    assert (edited["text"], edited["edited"]) == ("card 4111", True)
    assert redacted["text"] == "card ████"
    with cast.acme.scope():
        assert not MessageEdit.objects.exists()
    for body in ({"start": 5, "end": 5}, {"start": 0, "end": 99}, {"start": -1, "end": 2}, {}):
        assert bob.send(f"messages/{message['id']}/redact", body).status_code == 400


def test_foreign_absent_and_malformed_ids_give_the_same_404_whatever_the_body(cast, talk):
    mallory = Caller(cast.globex.mallory)
    with cast.acme.scope():
        message_id = (
            Caller(cast.acme.bob)
            .get(f"conversations/{talk.id}/messages")
            .json()["results"][0]["id"]
        )
    bodies = set()
    for found, message, customer in (
        (talk.id, message_id, cast.carol.id),
        (uuid4(), uuid4(), uuid4()),
        ("1", "x", "-"),
    ):
        calls = [
            mallory.get(f"conversations/{found}"),
            mallory.get(f"customers/{customer}"),
            mallory.send(f"conversations/{found}", {"wrong": 1}, "patch"),
            mallory.send(f"messages/{message}", {"text": ""}, "patch"),
            mallory.send(f"messages/{message}/redact", {"start": "x"}),
        ]
        calls += [
            mallory.get(f"conversations/{found}/{part}") for part in ("messages", "notes", "events")
        ]
        calls += [
            mallory.send(f"conversations/{found}/{act}", {"wrong": 1})
            for act in ("replies", "notes", "take-over", "hand-back", "resolve", "reopen", "snooze")
        ]
        for answer in calls:
            assert answer.status_code == 404
            bodies.add(answer.content)
    assert len(bodies) == 1


@pytest.mark.parametrize("name", ["vera", "petra"])
def test_those_who_only_read_may_not_act(cast, talk, name):
    caller = Caller(cast.acme.people[name])

    assert ids(caller.get("conversations")) == [str(talk.id)]
    for answer in (
        say(caller, talk),
        caller.send(f"conversations/{talk.id}/take-over"),
        caller.send(f"conversations/{talk.id}", {"title": "x"}, "patch"),
        caller.send(f"conversations/{uuid4()}/notes", {"text": "x"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_key_dies_with_its_revocation_its_member_and_its_tenant(cast, bob, talk):
    for end in (
        lambda: ApiKey.objects.filter(member=cast.acme.alice.member).update(
            revoked_at=timezone.now()
        ),
        lambda: members.remove(cast.acme.alice.member, by=cast.acme.olga.member),
        lambda: Tenant.objects.filter(pk=cast.acme.tenant.pk).update(status="suspended"),
    ):
        with cast.acme.scope():
            end()
        assert Caller(cast.acme.alice).get("conversations").status_code in {401, 403}


def test_bad_keys_are_refused_alike(cast):
    bodies = set()
    for token in ("", "Bearer", "Bearer ak_", f"Bearer ak_{'0' * 32}_{'a' * 43}", "Token x"):
        answer = Client().get(f"{API}/conversations", headers={"Authorization": token})
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        bodies.add(answer.content)
    bodies.add(Client().get(f"{API}/conversations").content)
    assert len(bodies) == 1


def test_a_login_session_calls_with_its_csrf_token(cast, talk):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.acme.bob.user)
    session = browser.session
    session["tenant"] = cast.acme.tenant.slug
    session.save()
    address = f"{API}/conversations/{talk.id}/take-over"

    assert browser.get(f"{API}/conversations").status_code == 200
    refused = browser.post(address, {}, "application/json")
    browser.cookies["csrf"] = "a" * 32
    allowed = browser.post(address, {}, "application/json", headers={"X-CSRFToken": "a" * 32})

    assert (refused.status_code, allowed.status_code) == (403, 200)


def test_a_login_session_reaches_no_tenant_of_others(cast, talk):
    browser = Client()
    browser.force_login(cast.globex.mallory.user)
    session = browser.session
    session["tenant"] = cast.acme.tenant.slug
    session.save()

    assert browser.get(f"{API}/conversations").status_code in {401, 404}


def test_customers_are_listed_with_their_proof(cast, bob):
    Widget(cast.acme).start(identity=signed(cast.acme, name="Ada"))
    Widget(cast.globex).start()

    rows = bob.get("customers").json()["results"]

    assert [(row["name"], row["verified"]) for row in rows] == [("Ada", True), ("Carol", False)]
    assert [row["name"] for row in bob.get("customers", q="CAROL").json()["results"]] == ["Carol"]
    assert bob.get(f"customers/{cast.carol.id}").json()["email"] == "carol@example.org"


def test_reading_a_page_costs_the_same_whatever_stands_in_it(
    cast, bob, django_assert_max_num_queries
):
    with cast.acme.scope():
        for number in range(20):
            start_conversation(cast.carol, client_key=uuid4(), text=str(number))

    with django_assert_max_num_queries(12):
        assert len(ids(bob.get("conversations"))) == 20
