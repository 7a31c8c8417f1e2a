"""Uploading, sending and throwing away over HTTP, for customers and members."""

import asyncio
import json
from uuid import uuid4

import pytest
from django.test import override_settings

from config.limits import BodyLimit
from conversations.gates.uploads import LARGEST_UPLOAD
from conversations.models import Attachment, Conversation, Message
from conversations.services import files
from tests.support.queries import at_most
from tests.support.redis import empty_redis
from tests.support.uploads import PDF, office, picture, png_that_says, sent_as
from tests.support.widget import API, Widget

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(cast):
    widget = Widget(cast.acme)
    widget.start()
    return widget


def upload(widget, content=None, name="photo.png", **fields):
    body = {"file": sent_as(picture() if content is None else content, name), **fields}
    return widget.client.post(f"{API}/attachments", body, headers=widget.headers)


def brought(widget, content=None, name="photo.png"):
    answer = upload(widget, content, name)
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


def send(widget, ids, text="", where="", key=None):
    address = f"conversations/{where}/messages" if where else "conversations"
    body = {"client_key": str(key or uuid4()), "text": text, "attachments": ids}
    return widget.post(address, body)


def test_a_file_comes_first_and_the_message_second(cast, ada):
    answer = upload(ada, name="invoice.exe")
    file = answer.json()
    assert answer.status_code == 201
    assert file == {
        "id": file["id"],
        "name": "invoice.exe.png",
        "media_type": "image/png",
        "size": file["size"],
        "width": 8,
        "height": 6,
        "url": None,
        "preview_url": None,
        "removed": False,
    }
    pdf = brought(ada, PDF, "terms.pdf")

    said = send(ada, [file["id"], pdf]).json()
    message, talk = said["message"], said["conversation"]["id"]
    assert said["conversation"]["last_message_preview"] == "invoice.exe.png, terms.pdf"
    assert message["text"] == "invoice.exe.png, terms.pdf"
    assert [each["id"] for each in message["attachments"]] == [file["id"], pdf]
    assert message["attachments"][0]["url"].startswith("/files/")
    assert message["attachments"][0]["preview_url"].endswith("/invoice.exe.png.webp")
    assert message["attachments"][1]["preview_url"] is None
    page = ada.get(f"conversations/{talk}/messages").json()["results"]
    assert page[0]["attachments"] == message["attachments"], "the same links within the hour"
    seen = cast.acme.vera.client().get(f"/api/v1/conversations/{talk}/messages").json()
    assert seen["results"][0]["attachments"] == message["attachments"]


def test_a_page_with_files_costs_one_statement_more_than_one_without(cast, ada):
    talk = ada.talk("One")
    address = f"conversations/{talk}/messages"
    with at_most(20) as before:
        ada.get(address)
    for n in range(6):
        assert send(ada, [brought(ada), brought(ada)], text=f"{n}", where=talk).status_code == 201
    with at_most(len(before)) as after:
        page = ada.get(address).json()["results"]
    assert sum(len(line["attachments"]) for line in page) == 12
    about_files = [sql for sql in after if "conversations_attachment" in sql]
    assert len(about_files) == 1


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 400, "invalid_input"),
        (b"<html><script>alert(1)</script>", 415, "unsupported_file"),
        (b"<svg onload='alert(1)'/>", 415, "unsupported_file"),
        (b"\x89PNG\r\n\x1a\nnot a picture", 415, "unsupported_file"),
        (png_that_says(50_000, 50_000), 413, "too_large"),
        (office(**{"word/a_bin": b"\0" * 3_000_000}), 415, "unsupported_file"),
        (b"x" * (files.LARGEST + 1), 413, "too_large"),
        (b"x" * (LARGEST_UPLOAD + 1), 413, "too_large"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_words(cast, ada, content, status, code):
    answer = upload(ada, content, "photo.png")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["detail"].endswith(".")
    with cast.acme.scope():
        assert not Attachment.objects.exists()


def test_the_largest_file_is_taken(ada):
    assert upload(ada, b"x" * files.LARGEST, "a.txt").status_code == 201


def test_an_upload_is_one_file_and_nothing_else(ada):
    address = f"{API}/attachments"
    two = {"file": [sent_as(PDF), sent_as(PDF)]}
    assert ada.client.post(address, two, headers=ada.headers).status_code == 400
    assert ada.client.post(address, {}, headers=ada.headers).status_code == 400
    assert ada.client.post(address, {"file": "words"}, headers=ada.headers).status_code == 400
    assert upload(ada, PDF, text="hello").status_code == 400
    assert ada.post("attachments", {"file": "x"}).status_code == 415
    broken = {"content_type": "multipart/form-data", "data": b"--x"}
    assert ada.client.post(address, **broken, headers=ada.headers).status_code == 400
    assert ada.client.get(address, headers=ada.headers).status_code == 405


def test_uploads_ask_who_it_is_before_they_read(cast, ada):
    body = {"file": sent_as(b"<html>")}
    assert ada.client.post(f"{API}/attachments", body).status_code == 401
    bob, vera = cast.acme.bob.client(), cast.acme.vera.client()
    refused = vera.post("/api/v1/attachments", {"file": sent_as(b"<html>")})
    assert refused.status_code == 403
    assert bob.post("/api/v1/attachments", {"file": sent_as(b"<html>")}).status_code == 415
    assert bob.post("/api/v1/attachments", {"file": sent_as(PDF)}).status_code == 201


def test_uploads_have_the_rate_of_posts(ada):
    empty_redis()
    with override_settings(RATE_MESSAGES=2):
        assert [upload(ada, PDF).status_code for _ in range(3)] == [201, 201, 429]


def test_members_reply_with_files_and_are_told_which_is_missing(cast, ada):
    talk, bob = ada.talk(), cast.acme.bob.client()
    file = bob.post("/api/v1/attachments", {"file": sent_as(PDF, "terms.pdf")}).json()["id"]
    address = f"/api/v1/conversations/{talk}/replies"

    def reply(ids, text="Here", who=bob, key=None):
        body = {"client_key": str(key or uuid4()), "text": text, "attachments": ids}
        return who.post(address, body, content_type="application/json")

    foreign, key = brought(ada), uuid4()
    for who, ids in [(bob, [file, foreign]), (bob, [str(uuid4())]),
                     (cast.acme.alice.client(), [file])]:  # fmt: skip
        refused = reply(ids, who=who)
        assert (refused.status_code, refused.json()["code"]) == (400, "no_such_file")
        assert ids[-1] in refused.json()["errors"]["attachments"][0]
    with cast.acme.scope():
        assert Message.objects.count() == 1
        assert Conversation.objects.get().handler == "agent", "nothing of it was stored"
    assert reply([file] * 6).status_code == 400
    assert reply("x").status_code == 400
    sent = reply([file], text="", key=key)
    assert (sent.status_code, sent.json()["text"]) == (201, "terms.pdf")
    assert reply([file], text="", key=key).status_code == 200
    assert reply([], text="", key=key).status_code == 400
    assert reply([], text="terms.pdf", key=key).json()["code"] == "client_key_reused"
    assert reply([file]).json()["code"] == "no_such_file"


def test_a_file_that_was_not_sent_can_be_thrown_away_by_its_bringer(cast, ada):
    other = Widget(cast.acme)
    other.start()
    file, sent = brought(ada), brought(ada)
    assert send(ada, [sent]).status_code == 201

    def delete(widget, file):
        return widget.client.delete(f"{API}/attachments/{file}", headers=widget.headers)

    for widget, which in [(other, file), (ada, sent), (ada, uuid4())]:
        assert delete(widget, which).status_code == 404
    bob = cast.acme.bob.client()
    assert bob.delete(f"/api/v1/attachments/{file}").status_code == 404
    assert delete(ada, file).status_code == 204
    assert delete(ada, file).status_code == 404
    own = bob.post("/api/v1/attachments", {"file": sent_as(PDF)}).json()["id"]
    assert bob.delete(f"/api/v1/attachments/{own}").status_code == 204


# --- the size of a request, before Django sees it -------------------------------------------------


def through_the_limit(path, *pieces, stated=None):
    """Status and how much the application was given."""
    given, sent = [], []
    head = [] if stated is None else [(b"content-length", str(stated).encode())]
    left = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    left.append({"type": "http.request", "body": b"", "more_body": False})

    async def app(scope, receive, send):
        while (message := await receive())["type"] == "http.request":
            given.append(len(message["body"]))
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                return

    async def receive():
        return left.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(BodyLimit(app)({"type": "http", "path": path, "headers": head}, receive, send))
    if sent[0]["status"] == 413:
        assert json.loads(sent[1]["body"])["code"] == "too_large"
    return sent[0]["status"], sum(given)


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/widget/v1/attachments", LARGEST_UPLOAD),
        ("/api/v1/attachments", LARGEST_UPLOAD),
        ("/api/v1/attachments/x", 256 * 1024),
        ("/widget/v1/conversations", 256 * 1024),
        ("/t/acme/", 256 * 1024),
    ],
)
def test_a_body_is_refused_by_what_it_says_or_as_it_comes(path, limit):
    half = b"x" * (limit // 2)
    assert through_the_limit(path, half, half, stated=limit) == (200, limit)
    assert through_the_limit(path, half, half) == (200, limit)
    assert through_the_limit(path, half, stated=limit + 1) == (413, 0)
    assert through_the_limit(path, half, half, b"x") == (413, limit)
    assert through_the_limit(path, half, half, half, stated=1) == (413, limit)
