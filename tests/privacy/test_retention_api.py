"""Policies and holds by API, as the contract says, and for the privacy desk only."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from conversations.models import Conversation, Label
from tests.privacy.policies import aged

POLICIES, HOLDS = "/api/v1/privacy/policies", "/api/v1/privacy/holds"


@pytest.fixture
def petra(cast):
    return cast.acme.petra.client()


def _post(client, address, body):
    return client.post(address, body, content_type="application/json")


def test_a_policy_is_made_previewed_listed_and_ended(cast, petra):
    with cast.acme.scope():
        Label.objects.create(name="Trial")
        talk = aged(cast.carol, timedelta(days=31), now=timezone.now(), status="resolved")
    made = _post(petra, POLICIES, {"name": "Old ones", "days": 30, "status": "resolved"})
    assert made.status_code == 201
    policy = made.json()
    assert (policy["state"], policy["kind"], policy["rows"]) == ("waiting", "messages", 2)
    seen = _post(petra, f"{POLICIES}/{policy['id']}/preview", {})
    assert seen.status_code == 200
    assert seen.json()["counts"]["conversations"] == 1
    assert [sample["id"] for sample in seen.json()["samples"]] == [str(talk.id)]
    with cast.acme.scope():
        assert Conversation.objects.filter(pk=talk.pk).exists()
    labelled = _post(petra, POLICIES, {"name": "Trials", "days": 7, "label": "Trial"}).json()
    assert labelled["label"] == "Trial"
    first = petra.get(f"{POLICIES}?limit=1").json()
    assert [row["id"] for row in first["results"]] == [labelled["id"]]
    rest = petra.get(f"{POLICIES}?limit=1&cursor={first['next']}").json()
    assert ([row["id"] for row in rest["results"]], rest["next"]) == ([policy["id"]], None)
    ended = petra.delete(f"{POLICIES}/{policy['id']}")
    assert (ended.status_code, ended.json()["state"]) == (200, "ended")


def test_a_hold_is_placed_listed_and_released(cast, petra, talk):
    body = {"conversation": str(talk.id), "reason": "Case 12"}
    placed = _post(petra, HOLDS, body)
    assert placed.status_code == 201
    assert petra.get(HOLDS).json()["results"] == [placed.json()]
    released = petra.delete(f"{HOLDS}/{placed.json()['id']}")
    assert released.status_code == 200
    assert released.json()["ends_at"] > released.json()["released_at"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "x", "days": 0}, 400),
        ({"name": "x", "days": 1, "kind": "everything"}, 400),
        ({"name": "x", "days": 1, "colour": "red"}, 400),
        ({"name": "x", "days": 1, "label": "nobody"}, 404),
        ({"name": "x", "days": 1, "replaces": str(uuid4())}, 404),
    ],
)
def test_bad_policies_are_refused(petra, body, status):
    assert _post(petra, POLICIES, body).status_code == status


def test_holds_on_nothing_or_on_two_are_refused(cast, petra):
    def place(scope, subject):
        return _post(petra, HOLDS, {scope: subject, "reason": "x"}).status_code

    assert place("customer", str(uuid4())) == 404
    assert place("label", "nobody") == 404
    assert place("customer", "carol@example.org") == 201
    with cast.acme.scope():
        type(cast.carol).objects.create(name="Other", email="Carol@example.org")
    assert place("customer", "carol@example.org") == 409
    both = {"customer": str(cast.carol.id), "label": "VIP", "reason": "x"}
    assert _post(petra, HOLDS, both).status_code == 400
    assert _post(petra, HOLDS, {"reason": "x"}).status_code == 400


def test_only_the_privacy_desk_and_only_of_the_own_tenant(cast, petra):
    policy = _post(petra, POLICIES, {"name": "Old ones", "days": 30}).json()
    for name in ("bob", "alice", "vera"):
        client = getattr(cast.acme, name).client()
        assert client.get(POLICIES).status_code == 403
        assert _post(client, f"{POLICIES}/{policy['id']}/preview", {}).status_code == 403
        assert client.get(HOLDS).status_code == 403
    cast.globex.hire("gina", "owner")
    theirs = cast.globex.gina.client()
    assert _post(theirs, f"{POLICIES}/{policy['id']}/preview", {}).status_code == 404
    assert theirs.delete(f"{POLICIES}/{policy['id']}").status_code == 404
