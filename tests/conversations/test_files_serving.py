"""Files by their links: for whoever has one, for an hour or two, and never what is hidden."""

import asyncio
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import time_machine
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from conversations.file_links import link_to, read_link
from conversations.models import Attachment, Conversation
from conversations.selectors.files import PIECE
from conversations.services import files
from conversations.services.messages import start_conversation
from tests.support.cast import make_cast
from tests.support.sse import Reader
from tests.support.stack import running_stack
from tests.support.uploads import PDF, picture
from tests.support.widget import Widget

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def stack():
    with running_stack("web") as found:
        yield found


def sent(cast, content=PDF, name="terms.pdf", variant="full"):
    """The file of a new message, and its link."""
    with cast.acme.scope():
        file = files.bring(by=cast.carol, name=name, content=content)
        start_conversation(cast.carol, client_key=uuid4(), text="", attachments=[file.id])
        file.refresh_from_db()
        return file, link_to(file, variant)


def body_of(answer):
    async def read():
        return b"".join([piece async for piece in answer.streaming_content])

    return asyncio.run(read())


@pytest.mark.parametrize(
    ("content", "name", "kind", "disposition"),
    [
        (PDF, "terms.pdf", "application/pdf", 'attachment; filename="terms.pdf"'),
        (b"<b>hello</b>", "a.html", "text/plain", 'attachment; filename="a.html.txt"'),
        (picture("JPEG"), 'x"y.jpg', "image/jpeg", 'inline; filename="x\\"y.jpg"'),
    ],
)
def test_a_file_is_given_harmlessly(cast, content, name, kind, disposition):
    file, link = sent(cast, content, name)

    answer = Client().get(link)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Disposition"] == disposition
    policy = answer.headers["Content-Security-Policy"]
    assert policy == "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "private, max-age=3600"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Set-Cookie" not in answer.headers
    assert len(body_of(answer)) == file.size == int(answer.headers["Content-Length"])


def test_the_small_picture_has_a_link_of_its_own(cast):
    _, link = sent(cast, picture("PNG", (900, 600)), "photo.png", "preview")
    answer = Client().get(link)
    assert answer.headers["Content-Type"] == "image/webp"
    assert body_of(answer)[8:12] == b"WEBP"
    _, none = sent(cast, variant="preview")
    assert Client().get(none).status_code == 404


def test_links_are_the_same_within_an_hour_and_end_after_the_next(cast):
    file, _ = sent(cast)
    began = timezone.now().replace(minute=0, second=0, microsecond=0)

    def link_at(minutes):
        with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
            return link_to(file, "full")

    def works_at(minutes):
        with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
            return read_link(link.split("/")[2]) is not None

    with cast.acme.scope():
        link = link_at(1)
        assert link_at(59) == link != link_at(60)
    assert [works_at(minutes) for minutes in (0, 60, 119, 121)] == [True, True, True, False]


def test_every_reason_not_to_give_it_looks_the_same(cast):
    file, link = sent(cast)
    _, signed, name = link.strip("/").split("/")
    pages = {}

    def ask(why, address):
        answer = Client().get(address)
        assert answer.status_code == 404, why
        pages[why] = re.sub(r'nonce="[^"]+"', "", answer.content.decode())

    ask("no signature", f"/files/{signed.split(':')[0]}/{name}")
    ask("another signature", f"/files/{signed[:-1]}x/{name}")
    with cast.globex.scope():
        ask("another tenant", link_to(file, "full"))
    with cast.acme.scope():
        unsent = files.bring(by=cast.carol, name="b.pdf", content=PDF)
        ask("not sent", link_to(unsent, "full"))
    with time_machine.travel(timezone.now() + timedelta(hours=3)):
        ask("old", link)
    changes: list[tuple[str, Any, dict[str, Any]]] = [
        ("taken out", Attachment.stored, {"redacted_at": Now()}),
        ("hidden", Attachment.stored, {"expires_at": Now()}),
        ("its talk is hidden", Conversation.stored, {"expires_at": Now()}),
    ]
    for why, rows, change in changes:
        assert Client().get(link).status_code == 200
        with cast.acme.scope():
            rows.update(**change)
        ask(why, link)
        with cast.acme.scope():
            rows.update(**dict.fromkeys(change))
    with cast.acme.scope():
        Conversation.stored.all().delete()
    ask("gone", link)
    assert len(set(pages.values())) == 1


def test_a_file_that_is_deleted_half_way_breaks_off(cast):
    file, link = sent(cast, b"x" * (PIECE + 1), "a.txt")

    async def read():
        pieces = aiter(answer.streaming_content)
        first = await anext(pieces)
        await asyncio.to_thread(gone)
        with pytest.raises(ConnectionAbortedError):
            await anext(pieces)
        return first

    def gone():
        with cast.acme.scope():
            Attachment.stored.filter(pk=file.pk).delete()
        connection.close()

    answer: Any = Client().get(link)
    assert len(asyncio.run(read())) == PIECE


POOL = 20  # connections of a web process


def resident(pid, key):
    """In KB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split(f"{key}:")[1].split()[0])


def test_over_a_real_server_ten_megabytes_come_in_pieces(stack):
    cast = make_cast()
    content = b"0123456789abcdef" * (files.LARGEST // 16)
    _, link = sent(cast, content, "big.txt")
    assert httpx.get(stack.url + link).status_code == 200  # all is loaded once
    Path(f"/proc/{stack.pid('web')}/clear_refs").write_text("5")
    before = resident(stack.pid("web"), "VmRSS")

    with httpx.stream("GET", stack.url + link) as answer:
        read = 0
        for piece in answer.iter_bytes(65536):
            read += len(piece)
            time.sleep(0.002)
    assert read == files.LARGEST

    most = resident(stack.pid("web"), "VmHWM")
    assert most - before < 6 * 1024, "not the whole file"


def test_over_a_real_server_many_files_leave_the_pool_its_connections(stack):
    _, link = sent(make_cast(), b"words", "small.txt")

    with httpx.Client(base_url=stack.url, timeout=4) as client:  # less than the pool lets one wait
        answers = [client.get(link) for _ in range(3 * POOL)]

    assert {answer.content for answer in answers} == {b"words"}


def test_over_a_real_server_an_upload_is_sent_and_its_stream_shows_it(stack):
    cast = make_cast()
    ada = Widget(cast.acme)
    ada.start()
    api, headers = f"{stack.url}/widget/v1", dict(ada.headers)

    def chunks(size):
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        for _ in range(size // 65536):
            yield b"x" * 65536
        yield b"\r\n--b--\r\n"

    chunked = headers | {"Content-Type": "multipart/form-data; boundary=b"}
    file = httpx.post(f"{api}/attachments", content=chunks(65536), headers=chunked)
    assert file.status_code == 201, file.text
    large = httpx.post(f"{api}/attachments", content=chunks(2 * files.LARGEST), headers=chunked)
    assert large.status_code == 413
    talk = ada.talk("One")
    with Reader(f"{api}/conversations/{talk}/stream", ada.token) as reader:
        reader.wait(lambda events: any(each.event == "state" for each in events))
        post = {"client_key": str(uuid4()), "text": "", "attachments": [file.json()["id"]]}
        answer = httpx.post(f"{api}/conversations/{talk}/messages", json=post, headers=headers)
        assert answer.status_code == 201
        reader.wait(lambda events: sum(each.event == "message" for each in events) == 2)
        told = [each.data for each in reader.sent if each.event == "message"][-1]
    assert told["attachments"] == answer.json()["attachments"]
    assert httpx.get(stack.url + told["attachments"][0]["url"]).content == b"x" * 65536
