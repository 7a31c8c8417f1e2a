"""The agent's page: a draft that answers nobody, versions that never change, what changed."""

import pytest
from django.db import DatabaseError, transaction

from agents.console.differences import differences
from agents.models import AgentDraft, AgentProfile
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.profiles import current_draft, current_profile
from tenants.models import AuditEntry
from tests.support.console import text_of

WORDS = "Be brief.\nSay please.\nNever promise a date."


@pytest.fixture
def first(cast):
    """Version 1, by the offline model."""
    with cast.acme.scope():
        return set_endpoint(EndpointSettings("offline", "offline"), trusted=True)


@pytest.fixture
def form(first):
    return {
        "endpoint": str(first.endpoint_id),
        "instructions": WORDS,
        "tools": ["search_knowledge"],
        "window": "20",
        "token_budget": "9000",
        "tokenizer": "bytes",
        "sums_up": "before",
        "one_shots": ["title", "facts"],
        "max_steps": "4",
        "turn_seconds": "60",
    }


def published(cast):
    with cast.acme.scope():
        profile = current_profile()
        assert profile is not None
        return profile


def actions(cast):
    with cast.acme.scope():
        entries = AuditEntry.objects.filter(tenant=cast.acme.tenant, action__startswith="agent.")
        return [(entry.action, entry.detail) for entry in entries.order_by("created_at", "id")]


def test_a_draft_is_kept_and_answers_nobody(browser_of, cast, form):
    alice = browser_of("alice")
    assert alice.post("agents:agent", **form).status_code == 302
    assert published(cast).version == 1
    with cast.acme.scope():
        draft = current_draft()
        assert (draft.settings.instructions, draft.settings.window) == (WORDS, 20)
        assert (draft.settings.tools, draft.based_on) == (("search_knowledge",), 1)
    page = text_of(alice.get("agents:agent"))
    assert "You see a draft" in page
    assert "Say please." in page
    assert "Added:" in page


def test_publishing_makes_a_version_and_ends_the_draft(browser_of, cast, form):
    alice = browser_of("alice")
    alice.post("agents:agent", **form)
    assert alice.post("agents:agent", **form, publish="1").status_code == 302
    now = published(cast)
    assert (now.version, now.instructions, now.tools) == (2, WORDS, ["search_knowledge"])
    assert (now.window, now.max_steps, now.turn_seconds) == (20, 4, 60)
    assert (now.token_budget, now.tokenizer, now.sums_up) == (9000, "bytes", "before")
    assert now.one_shots == ["title", "facts"]
    with cast.acme.scope():
        assert not AgentDraft.objects.exists()
        assert AgentProfile.objects.filter(retired_at__isnull=True).count() == 1
    assert actions(cast) == [("agent.draft_saved", {}), ("agent.published", {"version": 2})]


def test_a_draft_can_be_thrown_away(browser_of, cast, form):
    alice = browser_of("alice")
    alice.post("agents:agent", **form)
    assert alice.post("agents:discard-draft").status_code == 302
    assert "You see a draft" not in text_of(alice.get("agents:agent"))
    assert published(cast).version == 1


def test_a_draft_says_when_somebody_else_published_meanwhile(browser_of, cast, form):
    alice = browser_of("alice")
    alice.post("agents:agent", **form)
    with cast.acme.scope():
        set_endpoint(EndpointSettings("offline", "other"), trusted=True)
    assert "Version 2 was published after it was written" in text_of(alice.get("agents:agent"))


def test_a_version_shows_what_it_changed_and_can_be_published_again(browser_of, cast, first, form):
    alice = browser_of("alice")
    alice.post("agents:agent", **form, publish="1")
    changed = {**form, "instructions": WORDS.replace("Say please.", "Say thanks.")}
    alice.post("agents:agent", **changed, publish="1")
    third = published(cast)
    page = text_of(alice.get("agents:agent-version", third.id))
    assert "compared with version 2" in page
    assert "<del>" in page
    assert "Removed:" in page
    with cast.acme.scope():
        second = AgentProfile.objects.get(version=2)
    assert alice.post("agents:republish-agent", second.id).status_code == 302
    again = published(cast)
    assert (again.version, again.instructions) == (4, WORDS)
    assert actions(cast)[-1] == ("agent.published", {"version": 4, "same_as": 2})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("window", "1"),
        ("max_steps", "99"),
        ("turn_seconds", "0"),
        ("tools", ["format_disk"]),
        ("endpoint", "nothing"),
        ("instructions", "x" * 20_001),
    ],
)
def test_mistakes_are_told_by_their_field(browser_of, cast, form, field, value):
    answer = browser_of("alice").post("agents:agent", **{**form, field: value}, publish="1")
    assert answer.status_code == 422
    assert f"{field}_error" in text_of(answer)
    assert published(cast).version == 1


def test_a_published_version_never_changes(cast, first):
    with cast.acme.scope():
        for change in ({"instructions": "Other."}, {"window": 3}, {"published_at": None}):
            with pytest.raises(DatabaseError), transaction.atomic():
                AgentProfile.objects.filter(id=first.id).update(**change)


def test_without_a_model_there_is_nothing_to_publish(browser_of, cast):
    alice = browser_of("alice")
    assert "Nothing is published yet" in text_of(alice.get("agents:agent"))
    assert alice.post("agents:agent", window="20", publish="1").status_code == 422


@pytest.mark.parametrize("name", ["vera", "bob", "petra", "mallory"])
def test_others_cannot_look_or_touch(browser_of, first, name):
    someone = browser_of(name)
    assert someone.get("agents:agent").status_code in {403, 404}
    assert someone.get("agents:agent-version", first.id).status_code in {403, 404}
    assert someone.post("agents:republish-agent", first.id).status_code in {403, 404}


def test_a_difference_shows_changed_lines_and_their_neighbours():
    before = "\n".join(f"line {n}" for n in range(10))
    after = before.replace("line 5", "line five") + "\nlast"
    lines = differences(before, after)
    assert [(line.kind, line.text or line.lines) for line in lines] == [
        ("skipped", 3),
        ("kept", "line 3"),
        ("kept", "line 4"),
        ("removed", "line 5"),
        ("added", "line five"),
        ("kept", "line 6"),
        ("kept", "line 7"),
        ("kept", "line 8"),
        ("kept", "line 9"),
        ("added", "last"),
    ]
    assert differences("same", "same") == []
