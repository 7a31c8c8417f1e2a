"""Posting and reading in the widget: once, in order, never lost, and only one's own."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connection

from conversations.models import Conversation, Message
from conversations.services import control, lifecycle, messages
from tenants.models import AuditEntry
from tests.support.redis import empty_redis
from tests.support.widget import API, Widget, signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(cast):
    widget = Widget(cast.acme)
    widget.start()
    return widget


def stored(cast):
    with cast.acme.scope():
        return Message.objects.count()


def test_a_first_message_starts_a_conversation(ada):
    answer = ada.say("Where is **my order**?")

    message = answer.json()["message"]
    assert (answer.status_code, message["seq"], message["kind"]) == (201, 1, "message")
    assert message["author"] == {"kind": "customer", "name": ""}
    assert message["html"] == "<p>Where is <strong>my order</strong>?</p>\n"


def test_own_messages_carry_the_key_they_were_posted_with_and_no_other_does(cast, ada):
    key = uuid4()
    posted = ada.say("Hello", key=key).json()
    talk = posted["conversation"]["id"]
    assert posted["message"]["client_key"] == str(key)
    with cast.acme.scope():
        conversation = Conversation.objects.get()
        messages.post_reply(
            conversation, by=cast.acme.bob.member, client_key=uuid4(), text="Hello back"
        )
    lines = ada.get(f"conversations/{talk}/messages").json()["results"]
    said = [line["client_key"] for line in lines if line["kind"] == "message"]
    assert said == [str(key), None]


def test_the_page_of_a_conversation_holds_lines_in_order_and_the_state(cast, ada):
    talk = ada.talk("One")
    ada.say("Two", where=talk)
    with cast.acme.scope():
        conversation = Conversation.objects.get()
        messages.add_note(conversation, by=cast.acme.bob.member, text="fraud check")
        control.take_over(conversation, by=cast.acme.bob.member)

    body = ada.get(f"conversations/{talk}/messages").json()

    assert [line.get("text", line.get("line")) for line in body["results"]] == [
        "One",
        "Two",
        "Bob joined",
    ]
    assert [line["seq"] for line in body["results"]] == sorted(
        line["seq"] for line in body["results"]
    )
    assert "fraud" not in json.dumps(body)
    assert body["results"][-1].keys().isdisjoint({"text", "author", "by", "detail"})
    assert body["state"] == {
        "status": "open",
        "handler": "team",
        "assignee_name": "Bob",
        "agent_typing": False,
        "can_write": True,
    }


def test_pages_neither_repeat_nor_skip_a_line(ada):
    talk = ada.talk("0")
    for number in range(1, 8):
        ada.say(str(number), where=talk)
    address = f"conversations/{talk}/messages"

    def texts(**page):
        return [line["text"] for line in ada.get(address, **page).json()["results"]]

    assert texts(limit=3) == ["5", "6", "7"]
    assert texts(limit=3, before_seq=6) == ["2", "3", "4"]
    assert texts(limit=3, after_seq=0) == ["0", "1", "2"]
    assert texts(limit=3, after_seq=3) == ["3", "4", "5"]
    assert texts(after_seq=8) == []


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 201},
        {"limit": 0},
        {"limit": "x"},
        {"after_seq": -1},
        {"after_seq": 10**30},
        {"ordering": "password"},
        {"filter[__]": 1},
        {"_connector": "OR"},
    ],
)
def test_a_wrong_page_is_refused_and_named(ada, query):
    talk = ada.talk()

    answer = ada.get(f"conversations/{talk}/messages", **query)

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == list(query)


def test_the_same_click_twice_is_one_message(cast, ada):
    key = uuid4()
    first, again = ada.say("Hello", key=key), ada.say("Hello", key=key)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["message"] == again.json()["message"]
    talk, key = first.json()["conversation"]["id"], uuid4()
    posts = [ada.say("More", where=talk, key=key) for _ in range(3)]
    assert [post.status_code for post in posts] == [201, 200, 200]
    assert len({post.json()["id"] for post in posts}) == 1
    assert stored(cast) == 2


def test_the_same_key_for_other_words_is_a_conflict(cast, ada):
    key = uuid4()
    talk = ada.say("Hello", key=key).json()["conversation"]["id"]

    for answer in (ada.say("Other", key=key), ada.say("Other", where=talk, key=key)):
        assert (answer.status_code, answer.json()["code"]) == (409, "client_key_reused")
    assert stored(cast) == 1


def test_the_same_words_with_a_new_key_are_a_second_message(cast, ada):
    talk = ada.talk("Hello")

    assert ada.say("Hello", where=talk).status_code == 201
    assert stored(cast) == 2


@pytest.mark.django_db(transaction=True)
def test_ten_clicks_at_once_are_one_conversation_and_fifty_posts_fifty_messages(cast):
    empty_redis()
    ada = Widget(cast.acme)
    ada.start()
    key = uuid4()

    def click(_):
        try:
            return ada.say("Hello", key=key)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(click, range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] * 9 + [201]
    assert len({answer.json()["message"]["id"] for answer in answers}) == 1
    talk = answers[0].json()["conversation"]["id"]

    def post(number):
        try:
            return ada.say(f"line {number}", where=talk)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        posts = list(pool.map(post, range(49)))
    assert {answer.status_code for answer in posts} == {201}
    lines = ada.get(f"conversations/{talk}/messages", after_seq=0, limit=200).json()["results"]
    assert [line["seq"] for line in lines] == list(range(1, 51))


def foreign_talks(cast, ada):
    other, stranger = Widget(cast.acme), Widget(cast.globex)
    other.start(), stranger.start()
    return [other.talk(), stranger.talk(), str(uuid4()), "not-an-id", ada.talk().upper()]


def test_a_foreign_absent_or_malformed_id_gives_one_and_the_same_404(cast, ada):
    bodies = set()
    for talk in foreign_talks(cast, ada):
        for answer in (
            ada.get(f"conversations/{talk}/messages"),
            ada.say(where=talk),
            ada.post(f"conversations/{talk}/messages", {"wrong": True}),
            ada.post(f"conversations/{talk}/messages", b"{", content_type="application/json"),
            ada.post(f"conversations/{talk}/person", {}),
            ada.post(f"conversations/{talk}/rating", {"score": 9}),
        ):
            assert answer.status_code == 404
            bodies.add(answer.content)
    assert len(bodies) == 1


def test_a_customers_token_opens_no_door_of_members(cast, ada):
    for path in ("/api/v1/conversations", "/api/v1/customers", "/api/v1/stream"):
        assert ada.client.get(path, headers=ada.headers).status_code == 401


def test_without_a_token_nothing_is_read_or_written(cast, ada):
    talk = ada.talk()
    for token in ("", "Bearer", "Bearer nonsense", "Bearer " + "x" * 9000, f"Basic {ada.token}"):
        ada.headers["Authorization"] = token
        for answer in (ada.get("conversations"), ada.say(), ada.say(where=talk)):
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert stored(cast) == 1


def test_a_token_in_the_url_counts_for_nothing(ada):
    token = ada.token
    del ada.headers["Authorization"]

    assert ada.get("conversations", token=token).status_code == 401


RAW = "application/json"
BAD_BODIES = {
    "NUL": (b'{"client_key": "%s", "text": "a\\u0000b"}', RAW, 400, "invalid_text"),
    "lone surrogate": (b'{"client_key": "%s", "text": "a\\ud800b"}', RAW, 400, "invalid_text"),
    "NUL in a key": (b'{"client_key": "%s", "te\\u0000xt": "a"}', RAW, 400, "invalid_text"),
    "NaN": (b'{"client_key": "%s", "text": NaN}', RAW, 400, "invalid_json"),
    "Infinity": (b'{"client_key": "%s", "text": -Infinity}', RAW, 400, "invalid_json"),
    "1e999": (b'{"client_key": "%s", "text": 1e999}', RAW, 400, "invalid_json"),
    "nested": (b"[" * 100_000, RAW, 400, "invalid_json"),
    "nested objects": (b'{"a":' * 30 + b"1" + b"}" * 30, RAW, 400, "invalid_json"),
    "long integer": (b'{"text": ' + b"1" * 5000 + b"}", RAW, 400, "invalid_json"),
    "twice": (b'{"client_key": "%s", "text": "a", "text": "b"}', RAW, 400, "invalid_json"),
    "no object": (b'["a"]', RAW, 400, "invalid_json"),
    "cut off": (b'{"client_key": "%s", "text": "a', RAW, 400, "invalid_json"),
    "not UTF-8": (b'{"client_key": "%s", "text": "\xff"}', RAW, 400, "invalid_json"),
    "UTF-16": ('{"text": "a"}'.encode("utf-16"), RAW, 400, "invalid_json"),
    "byte order mark": (b'\xef\xbb\xbf{"text": "a"}', RAW, 400, "invalid_json"),
    "other charset": (b'{"text": "a"}', "application/json; charset=latin-1", 415, None),
    "plain text": (b'{"client_key": "%s", "text": "a"}', "text/plain", 415, None),
    "form": (b"text=a", "application/x-www-form-urlencoded", 415, None),
    "no type": (b'{"client_key": "%s", "text": "a"}', "", 415, None),
    "257 KB": (b'{"text": "' + b"a" * 263_000 + b'"}', RAW, 413, "too_large"),
    "number as text": (b'{"client_key": "%s", "text": 5}', RAW, 400, "invalid_input"),
    "empty body": (b"", RAW, 400, "invalid_input"),
}


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"), BAD_BODIES.values(), ids=BAD_BODIES.keys()
)
def test_a_bad_body_is_refused_and_nothing_is_stored(cast, ada, body, kind, status, code):
    body = body.replace(b"%s", str(uuid4()).encode())

    answer = ada.post("conversations", body, content_type=kind)

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["code"] == (code or "unsupported_media_type")
    assert stored(cast) == 0


def test_a_compressed_body_is_refused(ada):
    answer = ada.post("conversations", gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"})

    assert answer.status_code == 415


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u200d\ufeff", "\u2800\u3164"])
def test_a_message_of_nothing_is_refused(cast, ada, text):
    assert ada.say(text).status_code == 400
    assert stored(cast) == 0


def test_ten_thousand_characters_pass_and_one_more_does_not(ada):
    assert ada.say("ä" * 10_000).status_code == 201
    refused = ada.say("ä" * 10_001)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert "10,000" in refused.json()["detail"]


@pytest.mark.parametrize(
    "text", ["\u202egnp.exe", "e" + "\u0301" * 5000, "👩\u200d👩\u200d👧" * 100, "\uffff", "😀"]
)
def test_odd_but_storable_text_comes_back_unchanged(ada, text):
    assert ada.say(text).json()["message"]["text"] == text


def test_unknown_fields_are_refused_and_named(cast, ada):
    body = {"client_key": str(uuid4()), "text": "Hi", "role": "agent", "tenant": "globex"}

    answer = ada.post("conversations", body)

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"role", "tenant"}
    assert stored(cast) == 0


def test_a_missing_or_malformed_client_key_is_named(ada):
    for body in ({"text": "Hi"}, {"text": "Hi", "client_key": "1"}):
        assert list(ada.post("conversations", body).json()["errors"]) == ["client_key"]


def test_other_methods_are_refused_as_problems(ada):
    answer = ada.client.put(f"{API}/conversations", {}, "application/json", headers=ada.headers)

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD, POST"


def test_an_unknown_address_is_a_problem_too(ada):
    answer = ada.get("nothing/here")

    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_asking_for_a_person_twice_writes_one_line(cast, ada):
    talk = ada.talk()

    answers = [ada.post(f"conversations/{talk}/person", {}) for _ in range(2)]

    assert [answer.json()["state"]["handler"] for answer in answers] == ["team", "team"]
    lines = ada.get(f"conversations/{talk}/messages").json()["results"]
    assert [line["event"] for line in lines if line["kind"] == "event"] == ["person_asked"]


def test_the_last_rating_counts(ada):
    talk = ada.talk()
    address = f"conversations/{talk}/rating"

    assert ada.post(address, {"score": 2, "comment": "slow"}).status_code == 200
    assert ada.post(address, {"score": 5}).json() == {"score": 5, "comment": ""}
    for score in (0, 6, 2.5, "many", None, True):
        assert ada.post(address, {"score": score}).status_code == 400


def test_writing_to_a_resolved_talk_opens_it_again(cast, ada):
    talk = ada.talk()
    with cast.acme.scope():
        lifecycle.resolve(Conversation.objects.get(), by=cast.acme.bob.member)

    assert ada.say("And now?", where=talk).status_code == 201
    assert ada.get(f"conversations/{talk}/messages").json()["state"]["status"] == "open"


def test_a_privacy_request_of_a_proven_customer_is_on_the_record(cast):
    ada = Widget(cast.acme)
    ada.start(identity=signed(cast.acme))

    answer = ada.post("privacy-requests", {"kind": "erasure"})

    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    with cast.acme.scope():
        entry = AuditEntry.objects.get(action="erasure.asked")
    assert entry.target_id == UUID(answer.json()["id"])
    assert entry.detail == {"source": "widget"}


def test_an_unproven_customer_is_told_how_to_ask_for_privacy(ada):
    answer = ada.post("privacy-requests", {"kind": "export"})

    assert (answer.status_code, answer.json()["code"]) == (403, "verification_required")
    assert ada.post("privacy-requests", {"kind": "all"}).status_code == 400


def test_the_sixty_first_message_of_a_minute_waits(ada):
    empty_redis()
    talk = ada.talk()
    answers = [ada.say(where=talk).status_code for _ in range(59)]
    assert answers == [201] * 59

    late = ada.say(where=talk)

    assert (late.status_code, late.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(late["Retry-After"]) <= 60
    assert late["Retry-After"] in late.json()["detail"]
    other = Widget(ada.company)
    other.start()
    assert other.say().status_code == 201


def test_sessions_of_one_address_are_limited(cast, settings):
    empty_redis()
    settings.RATE_SESSIONS = 2

    answers = [Widget(cast.acme).start().status_code for _ in range(3)]

    assert answers == [201, 201, 429]
    empty_redis()
