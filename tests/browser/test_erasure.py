"""A customer is erased by hand: beside their talk, with the typed word, up to the certificate."""

import pytest
from playwright.sync_api import expect

from conversations.models import Conversation, Customer
from conversations.services.erasure_requests import CONFIRMATION, ask_by_member
from conversations.services.messages import start_conversation
from tenants.scoping import new_id
from tests.browser.test_accessibility import LOOKS, OPEN, grave_faults
from tests.browser.world import LUMEN


def somebody(world, name: str) -> tuple[Customer, Conversation]:
    with world.scope(LUMEN):
        customer = Customer.objects.create(name=name, email=f"{new_id().hex}@example.org")
        posted = start_conversation(customer, client_key=new_id(), text="Please help me.")
        return customer, posted.conversation


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_what_can_be_done_with_a_customer_has_no_barrier(visits, world, look):
    customer, _ = somebody(world, "Nell Barrier")
    page = visits.desk("olga", **look, **OPEN)
    faults = {}
    for path in (f"customers/{customer.id}/", f"customers/{customer.id}/merge/",
                 f"customers/{customer.id}/split/", f"customers/{customer.id}/export/",
                 f"privacy/customers/{customer.id}/erase/"):  # fmt: skip
        page.goto(f"{world.url}/t/{LUMEN}/{path}")
        faults[path] = grave_faults(page)
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "narrow and dark"])
def test_an_erasure_from_the_talk_to_the_certificate(visits, world, look):
    visits.network_fails = True  # the wrong word is refused
    customer, talk = somebody(world, "Omar Gone")
    page = visits.desk("olga", **look, **OPEN)
    page.goto(f"{world.url}/t/{LUMEN}/privacy/customers/{customer.id}/erase/")
    expect(page.get_by_text("Omar Gone").first).to_be_visible()

    page.get_by_label("Why").fill("By telephone.")
    page.get_by_label("Type ERASE").fill("erase")
    page.get_by_label("Your password").fill(world.login_of("olga", LUMEN)[1])
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("Type ERASE to confirm.")).to_be_visible()
    page.get_by_label("Type ERASE").fill("ERASE")
    page.get_by_label("Your password").fill(world.login_of("olga", LUMEN)[1])
    page.get_by_role("button", name="Erase for good").click()

    expect(page.get_by_role("link", name="Certificate").first).to_be_visible(timeout=60_000)
    assert grave_faults(page) == []
    page.goto(f"{world.url}/t/{LUMEN}/?q=Omar+Gone")
    expect(page.locator("[data-card]")).to_have_count(0)
    with world.scope(LUMEN):
        assert not Conversation.stored.filter(pk=talk.pk).exists()


def test_the_open_chat_says_that_it_was_deleted_and_begins_anew(visits, world):
    visits.network_fails = True  # the session is refused from now on
    chat = visits.shop().begin()
    chat.say("How do I reset my password?")
    expect(chat.answers().first).to_be_visible()
    with world.scope(LUMEN):
        talk = Conversation.objects.latest("created_at")
        ask_by_member(
            talk.customer, by=world.member("olga"), reason="By telephone.", confirm=CONFIRMATION
        )

    expect(chat.frame.get_by_text("This conversation was deleted.")).to_be_visible()
    expect(chat.answers()).to_have_count(0)
    chat.page.wait_for_timeout(2_500)  # longer than the grace of a lost line
    expect(chat.frame.locator("#banner-words")).to_have_text("")
    chat.frame.get_by_role("button", name="Start a new conversation").click()
    chat.say("Hello again!")
    expect(chat.bubble("Hello again!")).to_be_visible()
    expect(chat.answers().first).to_be_visible()


def test_the_chat_tells_in_the_reader_s_language_what_is_to_be_done(visits, world):
    visits.network_fails = True  # the first time it is refused: nobody knows who it is
    chat = visits.shop(locale="ar").begin()
    chat.say("مرحبا")
    expect(chat.answers().first).to_be_visible()
    result = chat.frame.locator(".dialog__result")

    ask_for_deletion(chat)
    expect(result).to_contain_text("سجّل الدخول")
    chat.page.keyboard.press("Escape")
    with world.scope(LUMEN):
        customer = Conversation.objects.latest("created_at").customer
        Customer.objects.filter(pk=customer.pk).update(email=f"{new_id().hex}@example.org")
    ask_for_deletion(chat)
    expect(result).to_contain_text("البريد الإلكتروني")


def ask_for_deletion(chat) -> None:
    chat.frame.locator("#menu-button").click()
    chat.frame.locator("#menu-erase").click()
    chat.frame.locator(".dialog__do .button--danger").click()
