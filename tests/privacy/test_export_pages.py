"""The pages of customers and exports, as members click through them."""

import pytest
from django.urls import reverse

from conversations.models import Customer, CustomerMerge, ExportRequest
from tests.privacy.export_kit import body_of, make, opened
from tests.support.console import Browser, start, text_of

PASSWORD = "correct horse battery"


@pytest.fixture
def petra(cast):
    return Browser(cast.acme, cast.acme.petra)


@pytest.fixture
def bob(cast):
    return Browser(cast.acme, cast.acme.bob)


@pytest.fixture
def export(cast, petra):
    """Carol's copy, asked for on her page and ready."""
    with cast.acme.scope():
        start(cast.carol, "Where is my order?")
    assert "Export the data" in text_of(petra.get("conversations:customer", cast.carol.id))
    assert petra.get("conversations:ask-export", cast.carol.id).status_code == 200
    assert petra.post("conversations:ask-export", cast.carol.id).status_code == 302
    with cast.acme.scope():
        return make(ExportRequest.objects.get())


def link(browser, export) -> str:
    answer = browser.post("conversations:fetch-export", export.id, password=PASSWORD)
    assert answer.status_code == 200
    assert "Your download has begun" in text_of(answer)
    assert "no-store" in answer["Cache-Control"]
    return str(answer["Refresh"]).removeprefix("0; url=")


@pytest.mark.django_db(transaction=True)
def test_the_password_gives_a_link_that_works_once(petra, export):
    page = text_of(petra.get("conversations:privacy-export", export.id))
    assert "Download" in page
    assert export.manifest_sha256 in page
    assert "What it holds" in page
    assert "messages.jsonl" in page
    wrong = petra.post("conversations:fetch-export", export.id, password="wrong")
    assert (wrong.status_code, "not your password" in text_of(wrong)) == (422, True)

    address = link(petra, export)
    file = petra.client.get(address)
    assert "attachment" in file["Content-Disposition"]
    assert opened(body_of(file)).read("profile.jsonl")
    again = petra.client.get(address)
    assert again.status_code == 410
    assert "This link was used on" in text_of(again)
    assert "by petra" in text_of(again).lower()
    assert "Ask for a new link" in text_of(again)


def test_the_link_is_for_one_member_and_a_newer_one_ends_it(cast, petra, export):
    first = link(petra, export)
    assert Browser(cast.acme, cast.acme.olga).client.get(first).status_code == 410
    second = link(petra, export)
    older = petra.client.get(first)
    assert (older.status_code, "a newer one was made" in text_of(older)) == (410, True)
    assert petra.client.get(second).status_code == 200


def test_what_was_withdrawn_is_gone(petra, export):
    address = link(petra, export)
    assert petra.post("conversations:withdraw-export", export.id).status_code == 302
    ended = petra.client.get(address)
    assert (ended.status_code, "This export has ended" in text_of(ended)) == (410, True)
    assert "Ended" in text_of(petra.get("conversations:privacy-exports"))


def test_the_desk_names_what_waits(petra, export):
    address = reverse("conversations:privacy-export", args=["acme", export.id])
    assert address in text_of(petra.get("conversations:privacy"))


def test_support_merges_splits_and_undoes_by_pages(cast, bob):
    with cast.acme.scope():
        other = Customer.objects.create(name="Caroline", email="caroline@example.org")
        talks = [start(cast.carol, "One"), start(cast.carol, "Two")]
        start(other)
    assert "Caroline" in text_of(bob.get("conversations:customers", q="carol"))
    choice = text_of(bob.get("conversations:merge-customer", cast.carol.id, q="caroline"))
    assert f"?other={other.id}" in choice
    address = bob.url("conversations:merge-customer", cast.carol.id)
    question = bob.client.get(f"{address}?other={other.id}")
    assert "Merge Caroline into Carol" in text_of(question)
    assert bob.client.post(f"{address}?other={other.id}").status_code == 302
    assert bob.get("conversations:customer", other.id).status_code == 404
    page = text_of(bob.get("conversations:customer", cast.carol.id))
    assert "Took in Caroline" in page
    assert "Export the data" not in page

    with cast.acme.scope():
        row = CustomerMerge.objects.get()
    assert bob.post("conversations:undo-merge", row.id).status_code == 302
    assert bob.get("conversations:customer", other.id).status_code == 200

    assert bob.get("conversations:split-customer", cast.carol.id).status_code == 200
    chosen = {"conversations": [str(talks[0].id)]}
    answer = bob.post("conversations:split-customer", cast.carol.id, **chosen)
    assert answer.status_code == 302
    with cast.acme.scope():
        made = CustomerMerge.objects.get(kind="split")
    assert str(made.target_id) in answer["Location"]
    assert bob.client.post(f"{address}?other={cast.carol.id}").status_code == 422


def test_viewers_read_and_change_nothing(cast):
    vera = Browser(cast.acme, cast.acme.vera)
    page = text_of(vera.get("conversations:customer", cast.carol.id))
    assert "Merge" not in page.replace("Merged and split", "")
    assert vera.get("conversations:ask-export", cast.carol.id).status_code == 403
