"""Files in the chat and in the web admin: chosen, uploaded, sent, looked at, refused."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

from conversations.models import Attachment, Message
from conversations.services.files import LARGEST
from tests.browser.test_accessibility import LOOKS, OPEN, grave_faults
from tests.browser.world import LUMEN, Arrivals, Chat
from tests.support.stack import wait_for


def picture(name="lamp.png", size=(640, 420), colour="#c96f3b"):
    made = BytesIO()
    Image.new("RGB", size, colour).save(made, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": made.getvalue()}


def pdf(name="invoice.pdf"):
    return {
        "name": name,
        "mimeType": "application/pdf",
        "buffer": b"%PDF-1.4\nAn invoice.\n%%EOF\n",
    }


def text(name="notes.txt", words="Broken since Monday."):
    return {"name": name, "mimeType": "text/plain", "buffer": words.encode()}


def chips(frame):
    return frame.locator(".file-chip")


def choose(frame, *files):
    """Choose files, and wait until each has its verdict."""
    frame.locator("#attach").set_input_files(list(files))
    expect(chips(frame).locator("progress")).to_have_count(0)


def hold(context):
    """Uploads that get no answer until theirs is given."""
    held = []

    def keep(route):
        held.append(route)

    context.route("**/widget/v1/attachments", keep)
    return held


def take(page):
    """The talk is the member's, whoever had it: the agent, or by now the team."""
    page.get_by_role("button", name=re.compile("^(Take over|Assign to me)$")).first.click()
    expect(page.locator("#handler-bar", has_text="You are answering")).to_be_visible()


def shown(image):
    """Whether a picture is there and not a broken mark."""
    expect(image).to_be_visible()
    wait_for(lambda: image.evaluate("(node) => node.complete && node.naturalWidth > 0"))
    return True


def test_a_picture_and_a_pdf_go_to_the_team_and_a_file_comes_back(visits):
    chat = visits.shop()
    sam = visits.desk("sam")
    arrivals = Arrivals(sam)
    chat.begin()
    choose(chat.frame, picture(), pdf())
    expect(chips(chat.frame)).to_have_count(2)
    expect(chat.frame.locator("#tray-says")).to_contain_text("is uploaded")
    chat.say("The shade came like this")
    expect(chips(chat.frame)).to_have_count(0)
    assert shown(chat.frame.locator(".log a.picture img"))
    expect(chat.frame.locator(".log a.document")).to_contain_text("invoice.pdf")

    arrivals.open_newest()
    _the_team_sees_them_and_what_follows(chat, sam)
    _the_team_answers_with_a_file(sam)
    _the_customer_fetches_it(chat)
    _what_is_removed_is_gone_for_both(chat, sam)


def _the_team_sees_them_and_what_follows(chat, sam):
    line = sam.locator("#items .by-customer")
    assert shown(line.locator("a.picture img"))
    expect(line.locator("a.document")).to_contain_text("PDF")
    expect(sam.locator("#details .file-list li")).to_have_count(2)
    choose(chat.frame, text())
    chat.words.press("Enter")
    expect(sam.locator("#items a.document", has_text="notes.txt")).to_be_visible()
    expect(sam.locator("#items .bubble", has_text="notes.txt")).to_have_count(0)
    expect(sam.locator("#details .file-list li").first).to_contain_text("notes.txt")


def _the_team_answers_with_a_file(sam):
    take(sam)
    choose(sam, text("return-label.txt", "Send it to Lamp Street 1."))
    sam.locator("#composer-text").fill("Print this label, please.")
    sam.locator("#composer-text").press("Control+Enter")
    expect(sam.locator("#items .by-member a.document")).to_contain_text("return-label.txt")
    expect(chips(sam)).to_have_count(0)


def _the_customer_fetches_it(chat):
    label = chat.frame.locator(".row--member a.document")
    expect(label).to_contain_text("return-label.txt")
    with chat.page.expect_download() as saved:
        label.click()
    assert saved.value.suggested_filename == "return-label.txt"
    assert saved.value.path().read_text() == "Send it to Lamp Street 1."
    whole = chat.frame.locator(".log a.picture")
    expect(whole).to_have_attribute("target", "_blank")
    answer = chat.page.request.get(whole.evaluate("(link) => link.href"))
    assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["content-disposition"].startswith("inline")


def _what_is_removed_is_gone_for_both(chat, sam):
    sam.on("dialog", lambda dialog: dialog.accept())
    sam.get_by_role("button", name="Remove file lamp.png").click()
    expect(sam.locator("#items .by-customer .is-gone")).to_be_visible()
    expect(sam.locator("#items .by-customer :focus")).to_have_count(1)
    expect(sam.locator("#details .file-list")).not_to_contain_text("lamp.png")
    expect(chat.frame.locator(".log .document--gone")).to_have_text("This file was removed")
    expect(chat.frame.locator(".log a.picture")).to_have_count(0)


def test_a_page_that_stands_open_asks_for_fresh_links(visits):
    chat = Chat(visits.context().new_page())
    chat.page.clock.install()
    chat.page.goto(f"{visits.world.url}/demo/shop/")
    chat.begin()
    choose(chat.frame, text())
    chat.words.press("Enter")
    expect(chat.frame.locator(".log a.document")).to_be_visible()
    again = re.compile(r"/messages\?after_seq=0&limit=50$")
    assert not [url for url in visits.requests if again.search(url)]
    chat.page.clock.fast_forward("50:00")
    wait_for(lambda: [url for url in visits.requests if again.search(url)])
    expect(chat.frame.locator(".log a.document")).to_be_visible()


def test_a_reply_that_came_too_late_keeps_its_files(visits, world):
    visits.network_fails = True  # the refused reply
    chat = visits.shop().begin()
    chat.say("A reply will be late, with a file.")
    expect(chat.answers()).to_have_count(1)
    sam = visits.desk("sam")
    sam.locator("[data-card]").first.click()
    expect(sam.locator("#items")).to_contain_text("A reply will be late")
    take(sam)
    sam.locator("#log").press("Alt+KeyL")
    with sam.expect_file_chooser() as chooser:
        sam.keyboard.press("Alt+KeyA")
    chooser.value.set_files([text("label.txt")])
    expect(sam.locator(".file-chip.is-ready")).to_be_visible()
    sam.locator("#composer-text").fill("Here is the label.")
    sam.evaluate("document.querySelector('[name=seen_seq]').value = 1")
    sam.locator("#composer-text").press("Control+Enter")
    expect(sam.locator(".stale")).to_contain_text("Not sent yet")
    expect(sam.locator(".file-chip.is-ready")).to_be_visible()
    sam.locator("#composer-text").press("Control+Enter")
    expect(sam.locator("#items .by-member a.document")).to_contain_text("label.txt")
    expect(chat.bubble("Here is the label.")).to_be_visible()


def test_what_cannot_be_sent_is_said_and_no_word_is_lost(visits, world):
    visits.network_fails = True  # the refused uploads
    chat = visits.shop().begin()
    chat.words.fill("Here is what you asked for")
    large = {"name": "film.png", "mimeType": "image/png", "buffer": b"\x89PNG" + b"0" * LARGEST}
    program = {"name": "setup.pdf", "mimeType": "application/pdf", "buffer": b"MZ\x90\0\1\0"}
    choose(chat.frame, large, program, text())
    problems = chat.frame.locator(".file-chip__problem")
    expect(problems.first).to_contain_text("10 MB")
    expect(problems.last).to_contain_text("kind of file")
    expect(chat.words).to_have_value("Here is what you asked for")
    assert "film.png" not in str([url for url in visits.requests if "attachments" in url])
    chat.words.press("Enter")
    expect(chat.bubble("Here is what you asked for")).to_be_visible()
    expect(chat.frame.locator(".log a.document")).to_have_count(1)
    expect(chips(chat.frame)).to_have_count(0)
    with world.scope(LUMEN):
        line = Message.objects.get(text="Here is what you asked for")
        files = Attachment.objects.filter(conversation=line.conversation_id, seq=line.seq)
        assert [file.name for file in files] == ["notes.txt"]


def test_sending_waits_for_an_upload_and_survives_a_lost_line(visits):
    visits.network_fails = True
    chat = visits.shop().begin()
    held = hold(chat.page.context)
    chat.frame.locator("#attach").set_input_files([text("slow.txt")])
    chat.say("Sent as soon as it is there")
    expect(chat.frame.locator("#waits")).to_have_text(re.compile("when the files are uploaded"))
    expect(chat.bubble("Sent as soon")).to_have_count(0)
    wait_for(lambda: held)
    held.pop().abort()
    expect(chat.frame.locator(".file-chip__problem")).to_be_visible()
    expect(chat.words).to_have_value("Sent as soon as it is there")
    # By no key press is it left behind.
    chat.words.press("Enter")
    expect(chat.frame.locator("#tray-says")).to_contain_text("not uploaded")
    chat.page.context.unroute_all()
    chat.frame.get_by_role("button", name=re.compile("Try again")).click()
    expect(chat.frame.locator(".file-chip.is-ready")).to_be_visible()
    chat.words.press("Enter")
    expect(chat.bubble("Sent as soon as it is there")).to_be_visible()
    expect(chat.frame.locator(".log a.document")).to_contain_text("slow.txt")


def test_a_reload_loses_no_message_and_says_which_file_is_lost(visits):
    visits.network_fails = True
    chat = visits.shop().begin()
    chat.say("Good day")
    expect(chat.answers()).to_have_count(1)
    context = chat.page.context
    choose(chat.frame, text("kept.txt"))
    posts = "**/widget/v1/conversations/*/messages"
    block = lambda route: route.abort() if route.request.method == "POST" else route.continue_()  # noqa: E731
    context.route(posts, block)
    chat.say("With a file, while away")
    expect(chat.frame.locator(".log .meta").last).to_contain_text("Not sent yet")
    choose(chat.frame, text("waits.txt"))
    held = hold(context)
    chat.frame.locator("#attach").set_input_files([text("underway.txt")])
    expect(chat.frame.locator("progress")).to_be_visible()

    chat.page.reload()
    chat.open()
    expect(chips(chat.frame)).to_have_count(2)
    expect(chips(chat.frame).first).to_contain_text("waits.txt")
    expect(chips(chat.frame).first).to_have_class(re.compile("is-ready"))
    expect(chips(chat.frame).last).to_contain_text("underway.txt")
    expect(chips(chat.frame).last).to_contain_text("Choose it again")
    context.unroute(posts)
    expect(chat.frame.locator(".log a.document", has_text="kept.txt")).to_be_visible()
    expect(chat.bubble("With a file, while away")).to_have_count(1)
    held.pop().abort()


def test_by_keyboard_alone(visits):
    chat = visits.shop().begin()
    chat.words.press("Tab")
    expect(chat.frame.locator("#attach")).to_be_focused()
    with chat.page.expect_file_chooser() as chooser:
        chat.page.keyboard.press("Space")
    assert chooser.value.is_multiple()
    chooser.value.set_files([text("one.txt"), text("two.txt")])
    expect(chat.frame.locator(".file-chip.is-ready")).to_have_count(2)
    remove = chat.frame.get_by_role("button", name=re.compile("Remove.*one.txt"))
    remove.focus()
    chat.page.keyboard.press("Enter")
    expect(chips(chat.frame)).to_have_count(1)
    expect(chat.frame.get_by_role("button", name=re.compile("Remove.*two.txt"))).to_be_focused()
    expect(chat.frame.locator("#tray-says")).to_contain_text("one.txt")
    chat.frame.locator("#words").focus()
    chat.page.keyboard.press("Enter")
    expect(chat.frame.locator(".log a.document")).to_have_count(1)


def test_files_are_dropped_and_pasted(visits):
    chat = visits.shop().begin()
    carry = """(kind) => {
        const data = new DataTransfer();
        data.items.add(new File(["Words"], `${kind}.txt`, {type: "text/plain"}));
        const names = {drop: ["dragover", "drop"], paste: ["paste"]}[kind];
        const rest = {bubbles: true, cancelable: true};
        for (const name of names) document.body.dispatchEvent(kind === "drop"
            ? new DragEvent(name, {dataTransfer: data, ...rest})
            : new ClipboardEvent(name, {clipboardData: data, ...rest}));
    }"""
    for kind in ("drop", "paste"):
        chat.document.evaluate(carry, kind)
        expect(chat.frame.locator(".file-chip.is-ready", has_text=f"{kind}.txt")).to_be_visible()
    expect(chat.frame.locator("#drop")).to_be_hidden()


def test_a_note_takes_no_files_and_keeps_those_of_the_reply(visits, world):
    chat = visits.shop().begin()
    chat.say("A note will be written, and a file be kept.")
    expect(chat.answers()).to_have_count(1)
    ines = visits.desk("ines")
    ines.locator("[data-card]").first.click()
    expect(ines.locator("#items")).to_contain_text("a file be kept")
    take(ines)
    choose(ines, text("label.txt"))
    ines.keyboard.press("Alt+KeyP")
    expect(ines.locator("#files-kept")).to_be_visible()
    expect(chips(ines)).to_be_hidden()
    ines.keyboard.type("A plain note")
    ines.keyboard.press("Control+Enter")
    expect(ines.locator(".by-note")).to_contain_text("A plain note")

    ines.reload()
    expect(chips(ines).first).to_be_attached()
    ines.locator("#composer-text").focus()
    ines.keyboard.press("Alt+KeyL")
    expect(ines.locator(".file-chip.is-ready")).to_contain_text("label.txt")
    ines.keyboard.press("Control+Enter")
    expect(ines.locator("#items .by-member a.document")).to_contain_text("label.txt")
    expect(chat.frame.locator(".row--member a.document")).to_contain_text("label.txt")


def test_in_arabic_everything_stands_on_its_side(visits, world):
    visits.network_fails = True
    chat = visits.website(LUMEN, locale="ar").begin()
    program = {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"MZ\x90\0\1"}
    choose(chat.frame, pdf("فاتورة.pdf"), program)
    expect(chat.frame.locator(".file-chip__problem")).to_contain_text("الملفات")
    boxes = [chat.frame.locator(name).bounding_box() for name in ("#words", "#attach", "#send")]
    assert boxes[0]["x"] > boxes[1]["x"] > boxes[2]["x"]
    chat.words.press("Enter")
    expect(chat.frame.locator(".log a.document")).to_contain_text("فاتورة.pdf")
    expect(chat.frame.locator(".log .document__meta")).to_have_css("direction", "rtl")


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_axe_finds_nothing_serious(visits, world, look):
    visits.network_fails = True
    context = visits.context(**look, **OPEN)
    chat = visits.shop(context).begin()
    program = {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"MZ\x90\0\1"}
    choose(chat.frame, picture(), pdf(), program)
    faults = {"tray": grave_faults(chat.document)}
    chat.words.press("Enter")
    expect(chat.frame.locator(".log a.picture img")).to_be_visible()
    faults["thread"] = grave_faults(chat.document)

    sam = visits.desk("sam", **look, **OPEN)
    with world.scope(LUMEN):
        file = wait_for(lambda: Attachment.objects.filter(seq__isnull=False).last())
    sam.goto(f"{world.url}/t/{LUMEN}/conversations/{file.conversation_id}/")
    take(sam)
    choose(sam, picture(), program)
    faults["web admin"] = grave_faults(sam)
    assert {state: found for state, found in faults.items() if found} == {}
