"""What a file is and what becomes of it: by its content, within limits, sent once or not at all."""

import io
import struct
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection
from PIL import Image

from conversations import pictures
from conversations.access import staged_file
from conversations.file_types import TYPES, FileRefused, clean_name, type_of
from conversations.models import Attachment, AttachmentBody, Customer, Message
from conversations.selectors.files import files_of
from conversations.services import files
from conversations.services.messages import post_customer_message, post_reply, start_conversation
from conversations.tasks import end_unsent_file
from tenants.due import Work
from tenants.errors import InvalidInput, NotFound, TooLarge, TooManyRequests
from tenants.models import DueWork
from tests.support.console import start
from tests.support.uploads import PDF, moving, office, picture, png_that_says

KINDS = {kind.endings[0]: kind for kind in TYPES}
HONEST = {
    ".png": picture("PNG"),
    ".jpg": picture("JPEG"),
    ".gif": picture("GIF"),
    ".webp": picture("WEBP"),
    ".pdf": PDF,
    ".txt": "Grüße, 你好\n".encode(),
    ".docx": office("docx"),
    ".xlsx": office("xlsx"),
    ".pptx": office("pptx"),
}
REFUSED = {
    "nothing known": b"\x7fELF\x02\x01\x01\0\0",
    "a program": b"MZ\x90\0\x03\0\0\0",
    "a NUL in text": b"hello\0world",
    "Latin-1": "Grüße".encode("latin-1"),
    "a page": b"  <!DOCTYPE html><script>alert(1)</script>",
    "a drawing": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    "a drawing with a head": b'\xef\xbb\xbf<?xml version="1.0"?><svg/>',
    "a drawing after a remark": b"<!-- hello --><svg/>",
    "a zip": office("docx").replace(b"[Content_Types].xml", b"[Content_Type_].xml"),
    "macros": office("docx", **{"word/vbaProject_bin": b"x"}),
    "two documents": office("docx", **{"xl/workbook_xml": b"x"}),
    "a damaged zip": office("docx")[:-30],
    "a zip behind a page": b"<html>" + office("docx"),
    "a PDF behind a page": b"<html>" + PDF,
}


@pytest.mark.parametrize("ending", HONEST)
def test_a_file_is_what_its_content_says(ending):
    assert type_of(HONEST[ending]) is KINDS[ending]


@pytest.mark.parametrize("what", REFUSED)
def test_everything_else_is_refused(what):
    with pytest.raises(FileRefused) as refused:
        type_of(REFUSED[what])
    assert refused.value.status == 415


def test_a_document_that_unpacks_to_too_much_is_refused():
    assert type_of(office(**{"word/a_bin": bytes(range(256)) * 400}))
    with pytest.raises(FileRefused, match="unpacks"):
        type_of(office(**{"word/a_bin": b"\0" * 3_000_000}))
    many = {f"word/{n}_xml": b"" for n in range(1_998)}
    assert type_of(office(**many))
    with pytest.raises(FileRefused, match="unpacks"):
        type_of(office(**many, **{"word/one-more_xml": b""}))


def test_an_archive_that_lies_about_its_sizes_is_measured():
    bomb = bytearray(office(**{"word/a_bin": b"\0" * 3_000_000}))
    size = struct.pack("<I", 3_000_000)
    assert bomb.count(size) == 2, "in the local header and in the directory"
    with pytest.raises(FileRefused, match="unpacks"):
        type_of(bytes(bomb.replace(size, struct.pack("<I", 10))))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("photo.png", "photo.png"),
        ("Photo.PNG", "Photo.PNG"),
        ("../../etc/passwd", "passwd.png"),
        ("C:\\Users\\ada\\photo.jpeg", "photo.png"),
        ("invoice.exe", "invoice.exe.png"),
        ("photo\u202egnp.exe", "photognp.exe.png"),
        ("a\r\nSet-Cookie: x\x00.png", "aSet-Cookie: x.png"),
        ("..", "file.png"),
        ("", "file.png"),
        (".png", "file.png"),
        ("x" * 300, "x" * 196 + ".png"),
        ("x" * 300 + ".png", "x" * 196 + ".png"),
        ("عکس\u200cمن.png", "عکس\u200cمن.png"),
        ("👩\u200d🔧.png", "👩\u200d🔧.png"),
    ],
)
def test_a_name_is_the_last_part_of_a_path_and_ends_as_the_content_is(given, kept):
    assert clean_name(given, KINDS[".png"]) == kept


@pytest.mark.parametrize("name", ["notes.md", "table.csv", "notes.txt", "out.log"])
def test_texts_keep_their_own_endings(name):
    assert clean_name(name, KINDS[".txt"]) == name


def test_a_picture_is_made_anew_upright_and_without_what_it_carried():
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "canary"
    sent = picture("JPEG", (80, 40), exif=exif, comment=b"canary") + b"<script>canary</script>"
    assert sent.count(b"canary") == 3

    made = pictures.remade(sent, "JPEG")

    assert b"canary" not in made.content
    assert (made.width, made.height) == (40, 80)
    again = Image.open(io.BytesIO(made.content))
    assert (again.format, again.size, dict(again.getexif())) == ("JPEG", (40, 80), {})
    small = Image.open(io.BytesIO(made.preview))
    assert (small.format, small.size) == ("WEBP", (40, 80)), "nothing is made larger"
    wide = pictures.remade(picture("PNG", (2000, 10)), "PNG")
    assert Image.open(io.BytesIO(wide.preview)).size == (480, 2)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_a_moving_picture_keeps_moving_and_loses_its_remarks(kind):
    made = pictures.remade(moving(kind), kind)
    assert b"canary" not in made.content
    assert getattr(Image.open(io.BytesIO(made.content)), "n_frames", 1) == 3
    assert getattr(Image.open(io.BytesIO(made.preview)), "n_frames", 1) == 1


def test_of_a_photograph_with_several_pictures_the_first_is_kept():
    into = io.BytesIO()
    first, second = (Image.new("RGB", (30, 20), colour) for colour in ("red", "blue"))
    first.save(into, "MPO", save_all=True, append_images=[second])
    made = pictures.remade(into.getvalue(), "JPEG")
    kept = Image.open(io.BytesIO(made.content))
    assert (kept.format, kept.size, getattr(kept, "n_frames", 1)) == ("JPEG", (30, 20), 1)
    colour = kept.getpixel((0, 0))
    assert isinstance(colour, tuple)
    assert colour[0] > 200


def test_pixels_are_counted_before_they_are_unpacked(monkeypatch):
    for width, height in [(50_000, 50_000), (8_000, 5_001)]:
        with pytest.raises(TooLarge, match="40 million"):
            pictures.remade(png_that_says(width, height), "PNG")
    with pytest.raises(FileRefused, match="damaged"):
        pictures.remade(png_that_says(8_000, 5_000), "PNG")  # allowed, and not all there
    monkeypatch.setattr(pictures, "MOST_FRAMES", 3)
    assert pictures.remade(moving(frames=3), "GIF")
    with pytest.raises(TooLarge, match="too long"):
        pictures.remade(moving(frames=4), "GIF")


@pytest.mark.django_db
def test_a_file_waits_and_goes_with_one_message(cast):
    with cast.acme.scope():
        file = files.bring(by=cast.carol, name="../photo.exe", content=picture())
        assert (file.name, file.media_type, file.width) == ("photo.exe.png", "image/png", 8)
        waits = DueWork.objects.get(kind=files.STAGED, ref_id=file.id)
        posted = start_conversation(cast.carol, client_key=uuid4(), text=" ", attachments=[file.id])
        assert posted.message.text == "photo.exe.png"
        assert files_of(posted.conversation.id, [1]) == {1: [file]}
        assert not DueWork.objects.filter(pk=waits.pk).exists()
        with pytest.raises(InvalidInput) as refused:
            start_conversation(cast.carol, client_key=uuid4(), text="x", attachments=[file.id])
        assert str(file.id) in refused.value.errors["attachments"][0]
        end_unsent_file(Work(cast.acme.tenant.id, files.STAGED, file.id))
        assert Attachment.objects.filter(pk=file.pk).exists(), "what was sent stays"


@pytest.mark.django_db
def test_nobody_else_can_send_or_delete_it_and_nothing_is_stored(cast, talk):
    bob, alice = cast.acme.bob.member, cast.acme.alice.member
    with cast.acme.scope():
        dan = Customer.objects.create(name="Dan")
        own = files.bring(by=bob, name="a.pdf", content=PDF)
        carols = files.bring(by=cast.carol, name="b.pdf", content=PDF)
        before = Message.objects.count()
        for by, ids in [(alice, [own.id]), (bob, [own.id, carols.id]), (bob, [uuid4()])]:
            with pytest.raises(InvalidInput):
                post_reply(talk, by=by, client_key=uuid4(), text="x", attachments=ids)
        with pytest.raises(InvalidInput):
            start_conversation(dan, client_key=uuid4(), text="x", attachments=[carols.id])
        for by in (dan, bob):
            with pytest.raises(NotFound):
                staged_file(by, carols.id)
        assert Message.objects.count() == before
        talk.refresh_from_db()
        assert talk.last_seq == 1
        assert post_reply(talk, by=bob, client_key=uuid4(), text="", attachments=[own.id]).files


@pytest.mark.django_db
def test_a_file_that_nobody_sends_ends_twice_as_well_as_once(cast):
    with cast.acme.scope():
        file = files.bring(by=cast.carol, name="a.pdf", content=PDF)
        kept = files.bring(by=cast.carol, name="b.pdf", content=PDF)
    for _ in range(2):
        end_unsent_file(Work(cast.acme.tenant.id, files.STAGED, file.id))
    with cast.acme.scope():
        assert list(Attachment.objects.all()) == [kept]
        assert AttachmentBody.objects.get().attachment_id == kept.id
        files.throw_away(staged_file(cast.carol, kept.id))
        assert not AttachmentBody.objects.exists()
    assert not DueWork.objects.filter(kind=files.STAGED, ref_id=kept.id).exists()


@pytest.mark.django_db
def test_a_repeated_post_is_the_same_only_with_the_same_files(cast):
    key = uuid4()
    with cast.acme.scope():
        one, two, three = (
            files.bring(by=cast.carol, name=f"{n}.pdf", content=PDF).id for n in "123"
        )
        first = start_conversation(cast.carol, client_key=key, text="", attachments=[one, two])
        again = start_conversation(cast.carol, client_key=key, text="", attachments=[two, one])
        assert (again.created, again.message.id) == (False, first.message.id)
        assert [file.id for file in again.files[1]] == [one, two]
        for text, ids in [("", [one]), ("", [one, two, three]), ("x", [one, two]), ("1.pdf", [])]:
            with pytest.raises(InvalidInput.__mro__[1], match="Make a new key"):
                start_conversation(cast.carol, client_key=key, text=text, attachments=ids)


@pytest.mark.django_db
def test_limits_of_number_size_and_day(cast, monkeypatch):
    with cast.acme.scope():
        six = [files.bring(by=cast.carol, name="a.pdf", content=PDF).id for _ in range(6)]
        with pytest.raises(InvalidInput, match="5 files at most"):
            start_conversation(cast.carol, client_key=uuid4(), text="x", attachments=six)
        start_conversation(cast.carol, client_key=uuid4(), text="x", attachments=six[:5])

        text = b"x" * files.LARGEST
        assert files.made_ready("a.txt", text).content == text
        with pytest.raises(TooLarge, match="10 MB"):
            files.made_ready("a.txt", text + b"x")
        with pytest.raises(InvalidInput, match="empty"):
            files.made_ready("a.txt", b"")

        monkeypatch.setattr(files, "DAILY", 6 * len(PDF) + 10)
        files.bring(by=cast.carol, name="a.txt", content=b"x" * 10)
        with pytest.raises(TooManyRequests, match="in a day"):
            files.bring(by=cast.carol, name="a.txt", content=b"x")
        files.bring(by=cast.acme.bob.member, name="a.txt", content=b"x")  # not for members
        yesterday = "now() - interval '25 hours'"
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE conversations_attachment SET created_at = {yesterday}")
        files.bring(by=cast.carol, name="a.txt", content=b"x")


@pytest.mark.django_db(transaction=True)
def test_of_many_posts_with_one_file_exactly_one_wins(cast):
    with cast.acme.scope():
        talks = [start(cast.carol, f"Talk {n}") for n in range(4)]
        file = files.bring(by=cast.carol, name="a.pdf", content=PDF)

    def send(talk):
        try:
            with cast.acme.scope():
                post_customer_message(
                    talk, customer=cast.carol, client_key=uuid4(), text="x", attachments=[file.id]
                )
        except InvalidInput:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(send, talks))

    assert sorted(won) == [False, False, False, True]
    with cast.acme.scope():
        file.refresh_from_db()
        assert file.conversation_id == talks[won.index(True)].id
        assert Message.objects.count() == 5
