"""Cases that other desks got wrong: twins, an open conversation, knowledge that was deleted."""

from uuid import UUID

import pytest

from agents.models import Article, Passage
from agents.services.articles import create_article, delete_article
from conversations.models import Conversation, Customer
from conversations.selectors.inbox import Filters, counts, inbox
from tenants.models import AuditEntry
from tests.privacy.erasing import ask, carry_on, erase, identity
from tests.support.console import Browser, start, text_of
from tests.support.widget import Widget

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "cleo@example.org"


def visitor(company, text):
    widget = Widget(company)
    widget.start(identity=identity(company, subject="cleo-1", name="Cleo Twin", email=ADDRESS))
    return widget, UUID(widget.say(text).json()["conversation"]["id"])


def test_s12_the_same_address_in_two_tenants(cast):
    _, here = visitor(cast.acme, "Here I am")
    there, talk = visitor(cast.globex, "There I am")
    with cast.acme.scope():
        cleo = Conversation.objects.get(pk=here).customer
    with cast.globex.scope():
        twin = Conversation.objects.get(pk=talk).customer
    assert cleo.id != twin.id

    request = erase(cast.acme, cleo)

    assert request.state == "certified", str(request.evidence)
    said = there.get(f"conversations/{talk}/messages").json()["results"]
    assert [line["text"] for line in said] == ["There I am"]
    with cast.globex.scope():
        stays = Customer.objects.get(pk=twin.id)
        assert (stays.name, stays.email) == ("Cleo Twin", ADDRESS)


def test_s13_a_customer_with_a_conversation_on_somebodys_screen(cast):
    with cast.acme.scope():
        on_screen, done = start(cast.carol, "Still open"), start(cast.carol, "Long done")
        Conversation.objects.filter(pk=done.pk).update(status="resolved")
        other = start(Customer.objects.create(name="Dora"), "Somebody else")
    bob = Browser(cast.acme, cast.acme.bob)
    assert bob.get("conversations:thread", on_screen.id).status_code == 200

    request = carry_on(cast.acme, ask(cast.acme, cast.carol))

    gone = bob.get("conversations:lines", on_screen.id, target="lines")
    assert gone.status_code == 404
    assert "There is nothing here" in gone["HX-Trigger"]
    assert bob.get("conversations:inbox").status_code == 200
    with cast.acme.scope():
        member = cast.acme.bob.member
        assert [row.id for row in inbox(member, Filters(), sort="created")] == [other.id]
        assert counts(member)["all"] == 1
        assert inbox(member, Filters(q="carol"), sort="created") == []
        entries = AuditEntry.objects.filter(target_id=request.id).order_by("created_at")
        asked = entries.get(action="erasure.asked")
    assert asked.actor_id == cast.acme.petra.member.id
    assert request.evidence["deleted"]["conversations"] == 2
    assert request.evidence["deleted"]["messages"] == 2
    audit = text_of(Browser(cast.acme, cast.acme.petra).get("tenants:audit"))
    assert "erasure.asked" in audit


def test_s14_deleted_knowledge_stays_dead(cast):
    with cast.acme.scope():
        old = create_article(title="Returns", body="Returns within 14 days.")
        delete_article(old)
        create_article(title="Returns", body="Returns within 30 days.")
        assert Article.objects.count() == 1
        assert [row.text for row in Passage.objects.all()] == ["Returns within 30 days."]
    found = cast.acme.bob.client().get("/api/v1/knowledge/search?q=returns").json()["results"]
    assert all("14 days" not in one["excerpt"] for one in found)
    assert any("30 days" in one["excerpt"] for one in found)
