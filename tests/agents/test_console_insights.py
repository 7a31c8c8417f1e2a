"""What the agent noted, as teammates and programs read it; the customer reads none of it."""

import pytest
from django.utils.html import escape

from conversations.models import Event, FunnelStage
from conversations.selectors.lines import lines
from conversations.services import insights
from conversations.services.insights import Read
from conversations.shapes import line_json, own_conversation_json
from tests.support.console import text_of

REASON = "A price <b>was</b> named."


@pytest.fixture
def noted(cast, talk):
    with cast.acme.scope():
        talk.refresh_from_db()
        read = Read(talk.id, talk.edition, talk.last_seq)
        stage = FunnelStage.objects.create(name="Quoted", position=70)
        assert insights.propose_stage(read, stage=stage, reason=REASON)
        triage = {"language": "pt-BR", "mood": "angry", "wants_person": True}
        assert insights.store_triage(read, triage)
        fact = {"label": "Order", "value": "1001 <script>", "seq": 1}
        assert insights.store_facts(read, [fact])
        assert insights.store_summary(read, "They ask for 1001.", after_seq=0)
        talk.refresh_from_db()
    return talk


def test_teammates_read_it_beside_the_talk(browser_of, noted):
    html = text_of(browser_of("vera").get("conversations:details", noted.id))
    assert f"Set by the AI agent. Your own choice stays. <bdi>{escape(REASON)}</bdi>" in html
    for label, value in (("Language", "pt-BR"), ("Mood", "angry"), ("Wants", "a person")):
        assert f"{label}: <bdi>{value}</bdi>" in html
    assert "They ask for 1001." in html
    assert 'href="#line-1"' in html
    assert "1001 &lt;script&gt;" in html
    thread = text_of(browser_of("vera").get("conversations:thread", noted.id))
    assert 'id="line-1"' in thread


def test_the_timeline_says_why(cast, browser_of, noted):
    thread = text_of(browser_of("vera").get("conversations:thread", noted.id))
    assert escape(f"put it at “Quoted”: {REASON}") in thread
    with cast.acme.scope():
        events = Event.objects.filter(conversation=noted, public=True)
        assert not events.exists()


def test_a_teammates_choice_ends_the_reason(cast, browser_of, noted):
    bob = browser_of("bob")
    with cast.acme.scope():
        other = FunnelStage.objects.create(name="Won", position=71)
    assert bob.post("conversations:stage", noted.id, stage=str(other.id)).status_code < 400
    page = text_of(bob.get("conversations:details", noted.id))
    assert "Your own choice stays" not in page
    with cast.acme.scope():
        read = Read(noted.id, noted.edition, noted.last_seq)
        assert not insights.propose_stage(read, stage=noted.stage, reason="No.")


def test_programs_read_it_and_customers_do_not(cast, noted):
    shown = cast.acme.vera.client().get(f"/api/v1/conversations/{noted.id}").json()
    assert (shown["stage"], shown["stage_by"], shown["stage_reason"]) == ("Quoted", "agent", REASON)
    assert shown["dossier"] == {"facts": [{"label": "Order", "value": "1001 <script>", "seq": 1}]}
    assert shown["triage"] == {"language": "pt-BR", "mood": "angry", "wants_person": True}
    assert shown["summary"] == "They ask for 1001."
    with cast.acme.scope():
        own = own_conversation_json(noted)
        said = [line_json(row, cast.acme.tenant, private=False)
                for row in lines(noted.id, private=False)]  # fmt: skip
    for word in ("Quoted", "angry", "They ask", "price"):
        assert word not in f"{own}{said}"


def test_facts_are_short_lines_and_not_too_many(cast, talk):
    with cast.acme.scope():
        talk.refresh_from_db()
        read = Read(talk.id, talk.edition, talk.last_seq)
        many = [{"label": f"fact {n}", "value": "a\nb\x00 " * 300, "seq": 1} for n in range(50)]
        insights.store_facts(read, [*many, {"label": " ", "value": "x", "seq": 1}])
        talk.refresh_from_db()
        facts = talk.dossier["facts"]
    assert len(facts) == insights.MOST_FACTS
    assert facts[-1]["label"] == "fact 49"
    assert all(len(fact["value"]) <= 300 and "\n" not in fact["value"] for fact in facts)
