"""Models in the web admin: added, changed, tested, chosen; a key goes in and never comes out."""

import logging

import pytest
from django.db.models.functions import Now

from agents.models import AgentProfile, ModelEndpoint, Specialist
from agents.services.endpoints import (
    EndpointSettings,
    EndpointValues,
    add_endpoint,
    choose_endpoint,
    endpoint_key,
    set_endpoint,
)
from agents.services.profiles import ProfileSettings, current_draft, save_draft
from tenants.models import AuditEntry
from tests.support import recorder as wire
from tests.support.console import text_of
from tests.support.recorder import Recorder, Wire

URL = "https://models.example.com/v1"
FORM = {
    "name": "Big",
    "api": "chat_completions",
    "base_url": URL,
    "model": "big-1",
    "key": "sk-hush",
    "input_price": "0.25",
    "output_price": "2",
    "currency": "EUR",
    "max_output_tokens": "500",
    "timeout_seconds": "30",
}


@pytest.fixture
def big(cast):
    with cast.acme.scope():
        values = EndpointValues(name="Big", api="chat_completions", model="big-1", base_url=URL)
        return add_endpoint(values, key="sk-hush", by=cast.acme.alice.member)


def audited(cast):
    with cast.acme.scope():
        entries = AuditEntry.objects.filter(tenant=cast.acme.tenant, action__startswith="endpoint")
        return [(entry.action, entry.detail) for entry in entries.order_by("created_at", "id")]


def test_a_model_is_added_with_a_key_that_nobody_sees_again(browser_of, cast, caplog):
    alice = browser_of("alice")
    with caplog.at_level(logging.DEBUG):
        assert alice.post("agents:add-endpoint", **FORM).status_code == 302
    with cast.acme.scope():
        row = ModelEndpoint.objects.get()
        assert (row.name, row.currency, row.trusted) == ("Big", "EUR", False)
        assert endpoint_key(row) == "sk-hush"
    pages = text_of(alice.get("agents:endpoints")) + text_of(alice.get("agents:endpoint", row.id))
    assert "big-1" in pages
    assert "sk-hush" not in pages + caplog.text + str(audited(cast))


def test_a_refused_form_does_not_send_the_key_back(browser_of):
    answer = browser_of("alice").post("agents:add-endpoint", **{**FORM, "base_url": "http://x"})
    assert answer.status_code == 422
    assert "https://" in text_of(answer)
    assert "sk-hush" not in text_of(answer)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_url", "https://127.0.0.1/v1"),
        ("base_url", "https://169.254.169.254/"),
        ("base_url", "https://models.example.com:8443/v1"),
        ("base_url", "https://a:b@models.example.com/"),
        ("input_price", "-1"),
        ("currency", "euro"),
        ("timeout_seconds", "5000"),
        ("model", ""),
        ("name", ""),
        ("api", "telepathy"),
    ],
)
def test_mistakes_are_told_by_their_field(browser_of, cast, field, value):
    answer = browser_of("alice").post("agents:add-endpoint", **{**FORM, field: value})
    assert answer.status_code == 422
    assert f"{field}_error" in text_of(answer)
    with cast.acme.scope():
        assert not ModelEndpoint.objects.exists()


def test_two_models_cannot_have_one_name(browser_of, big):
    assert "taken" in text_of(browser_of("alice").post("agents:add-endpoint", **FORM))


@pytest.mark.parametrize(
    ("act", "typed", "kept"),
    [("keep", "", "sk-hush"), ("set", "sk-new", "sk-new"), ("remove", "", "")],
)
def test_a_key_is_kept_replaced_or_removed(browser_of, cast, big, act, typed, kept):
    form = {**FORM, "key_act": act, "key": typed, "model": "big-2"}
    assert browser_of("alice").post("agents:endpoint", big.id, **form).status_code == 302
    with cast.acme.scope():
        row = ModelEndpoint.objects.get()
        assert (row.model, endpoint_key(row)) == ("big-2", kept)
    words = {"keep": "kept", "set": "set", "remove": "removed"}
    assert audited(cast)[-1][0] == "endpoint.changed"
    assert audited(cast)[-1][1]["key"] == words[act]
    assert "model" in audited(cast)[-1][1]["fields"]


def test_a_stored_key_is_not_sent_to_another_address(browser_of, cast, big):
    form = {**FORM, "key_act": "keep", "key": "", "base_url": "https://thief.example.com/v1"}
    answer = browser_of("alice").post("agents:endpoint", big.id, **form)
    assert answer.status_code == 422
    assert "Enter its key" in text_of(answer)
    with cast.acme.scope():
        assert ModelEndpoint.objects.get().base_url == URL


def test_the_operators_address_loses_its_privilege_when_changed(browser_of, cast):
    with cast.acme.scope():
        own = EndpointSettings("chat_completions", "m", "http://10.0.0.5:8000/v1")
        row = set_endpoint(own, trusted=True).endpoint
    alice = browser_of("alice")
    same = {**FORM, "key": "", "base_url": own.base_url, "name": "Renamed"}
    assert alice.post("agents:endpoint", row.id, **same).status_code == 302
    other = {**same, "base_url": "http://10.0.0.6:8000/v1"}
    assert alice.post("agents:endpoint", row.id, **other).status_code == 422
    assert alice.post("agents:endpoint", row.id, **{**same, "base_url": URL}).status_code == 302
    with cast.acme.scope():
        row.refresh_from_db()
        assert (row.name, row.base_url, row.trusted) == ("Renamed", URL, False)


def test_choosing_publishes_a_version_that_keeps_all_else(browser_of, cast, big):
    with cast.acme.scope():
        before = set_endpoint(EndpointSettings("offline", "offline"), trusted=True)
    assert browser_of("alice").post("agents:choose-endpoint", big.id).status_code == 302
    with cast.acme.scope():
        now = AgentProfile.objects.get(retired_at__isnull=True)
        assert (now.version, now.endpoint_id, now.tools) == (2, big.id, before.tools)
    assert audited(cast)[-1] == ("endpoint.chosen", {"version": 2})


def test_the_model_that_answers_is_not_deleted(browser_of, cast, big):
    alice = browser_of("alice")
    alice.post("agents:choose-endpoint", big.id)
    assert alice.post("agents:delete-endpoint", big.id).status_code == 302
    assert "Let another one answer first" in text_of(alice.get("agents:endpoints"))
    with cast.acme.scope():
        assert endpoint_key(ModelEndpoint.objects.get()) == "sk-hush"


def test_the_model_of_a_specialist_is_not_deleted(browser_of, cast, big):
    with cast.acme.scope():
        Specialist.objects.create(name="lawyer", description="Knows the law.", endpoint=big)
    alice = browser_of("alice")
    alice.post("agents:delete-endpoint", big.id)
    assert "The specialist lawyer answers with this model." in text_of(
        alice.get("agents:endpoints")
    )
    with cast.acme.scope():
        Specialist.objects.update(retired_at=Now())
    alice.post("agents:delete-endpoint", big.id)
    with cast.acme.scope():
        assert not ModelEndpoint.objects.filter(deleted_at=None).exists()


def test_a_deleted_model_leaves_its_versions_readable_and_no_key(browser_of, cast, big):
    alice = browser_of("alice")
    with cast.acme.scope():
        old = choose_endpoint(big, by=cast.acme.alice.member)
        set_endpoint(EndpointSettings("offline", "offline"), trusted=True)
        save_draft(ProfileSettings(), endpoint=big, by=cast.acme.alice.member)
    assert alice.post("agents:delete-endpoint", big.id).status_code == 302
    page = text_of(alice.get("agents:endpoints"))
    assert "is deleted" in page
    assert "big-1" not in page
    assert alice.get("agents:endpoint", big.id).status_code == 404
    with cast.acme.scope():
        big.refresh_from_db()
        assert big.key_encrypted is None
        assert current_draft().endpoint is None
    assert "big-1" in text_of(alice.get("agents:agent-version", old.id))
    alice.post("agents:republish-agent", old.id)
    trial = {"version": old.id, "text": "Hello?"}
    for page in (alice.get("agents:agent"), alice.post("agents:playground", **trial)):
        assert "was deleted. Choose another model" in text_of(page)
    assert audited(cast)[-1] == ("endpoint.deleted", {"key": True})


def test_the_name_of_a_deleted_model_is_free_and_its_key_does_not_come_back(browser_of, cast, big):
    alice = browser_of("alice")
    alice.post("agents:delete-endpoint", big.id)
    assert alice.post("agents:add-endpoint", **{**FORM, "key": ""}).status_code == 302
    with cast.acme.scope():
        row = ModelEndpoint.objects.get(deleted_at=None)
        assert (row.name, endpoint_key(row)) == ("Big", "")
        assert row.id != big.id


@pytest.mark.parametrize("name", ["vera", "bob", "petra", "mallory"])
def test_others_see_no_model(browser_of, big, name):
    someone = browser_of(name)
    for act in ("endpoint", "test-endpoint", "choose-endpoint", "delete-endpoint"):
        page = f"agents:{act}"
        assert someone.post(page, big.id).status_code in {403, 404}
    assert someone.get("agents:endpoints").status_code in {403, 404}


class TestTheTest:
    """Committed rows: the page holds no transaction while it waits for the server."""

    pytestmark = pytest.mark.django_db(transaction=True)

    def examined(self, browser_of, cast, answer):
        with Recorder(answer) as server:
            with cast.acme.scope():
                url = f"{server.url}/v1"
                settings = EndpointSettings("chat_completions", "m", url, "sk-hush")
                row = set_endpoint(settings, trusted=True).endpoint
            return text_of(browser_of("alice").post("agents:test-endpoint", row.id))

    def test_a_model_that_answers(self, browser_of, cast):
        page = self.examined(browser_of, cast, wire.completion("Ready."))
        assert "It works: the model answered in" in page

    def test_a_wrong_key(self, browser_of, cast):
        refusal = Wire({"error": {"message": "no such key sk-hush"}}, status=401)
        page = self.examined(browser_of, cast, refusal)
        assert "refuses the key" in page
        assert "sk-hush" not in page

    def test_a_foreign_model_is_not_found(self, browser_of, cast, big):
        assert browser_of("mallory").post("agents:test-endpoint", big.id).status_code == 404

    def test_a_private_address_is_not_called(self, browser_of, cast, big):
        with cast.acme.scope():
            ModelEndpoint.objects.update(base_url="https://127.0.0.1/v1")
        page = text_of(browser_of("alice").post("agents:test-endpoint", big.id))
        assert "no public address" in page
