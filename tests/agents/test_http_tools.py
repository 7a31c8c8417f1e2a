"""Tools by configuration: what goes out, what comes back, and what stays secret."""

import asyncio
import json

import pytest

from agents.models import HttpTool, ToolCall
from agents.runtime.egress import AnswerTooLarge
from agents.runtime.facts import load_facts
from agents.runtime.runner import Desk as RunDesk
from agents.runtime.runner import run_turn
from agents.runtime.tools.http import ArgumentsRefused, HttpCall, asked, filled, http_tool
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.http_tools import secret_headers
from agents.services.profiles import ProfileSettings, publish_profile
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tests.support.console import text_of
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.sites import Site, loopback
from tests.support.talks import Recorder, claim, make_talk, make_tenant
from tests.support.tls import certificate

SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "string"}, "note": {"type": "string"}},
    "required": ["order"],
    "additionalProperties": False,
}
FORM = {
    "name": "order_status",
    "description": "Where an order is.",
    "method": "GET",
    "url": "https://shop.example.com/orders/{order}",
    "schema": json.dumps(SCHEMA),
    "headers": "X-Api-Key: hush-hush",
    "response_limit": "1000",
    "enabled": "on",
}


def call(**more):
    given = {"method": "GET", "url": "https://shop.example/orders/{order}", **more}
    return HttpCall(name="order_status", schema=SCHEMA, response_limit=1000, **given)


# --- what goes out --------------------------------------------------------------------------------


def test_arguments_stand_in_the_address_or_behind_it():
    url, body = filled(call(), {"order": "10/01?x=1", "note": "so & so"})
    assert url == "https://shop.example/orders/10%2F01%3Fx%3D1?note=so+%26+so"
    assert body is None


def test_a_writing_request_has_the_rest_in_its_body():
    url, body = filled(call(method="POST"), {"order": "1001", "note": "ja"})
    assert (url, json.loads(body or b"")) == ("https://shop.example/orders/1001", {"note": "ja"})


@pytest.mark.parametrize("order", ["..", ".", ""])
def test_no_argument_climbs_up_in_a_path(order):
    with pytest.raises(ArgumentsRefused):
        filled(call(), {"order": order})


@pytest.mark.parametrize("values", [{}, {"order": 5}, {"order": "1", "tenant": "other"}])
def test_arguments_that_do_not_fit_are_refused_before_anything_goes_out(values):
    with pytest.raises(ArgumentsRefused, match="Not done"):
        asyncio.run(asked(call(), values, key=""))


# --- what comes back ------------------------------------------------------------------------------


def visit(tmp_path, page, monkeypatch, **more):
    async def go():
        async with Site(certificate(tmp_path, "shop.example")) as site:
            monkeypatch.setattr("agents.runtime.egress.tls_context", lambda: site.trusting)
            site.pages = {"/orders/1001": page}
            url = f"https://shop.example:{site.port}/orders/{{order}}"
            made = call(url=url, headers={"x-api-key": "hush-hush"}, rules=loopback(site), **more)
            try:
                return await asked(made, {"order": "1001"}, key="turn:1"), site.heads
            except AnswerTooLarge as error:
                return error, site.heads

    return asyncio.run(go())


JSON = {"content-type": "application/json"}


def test_the_answer_is_told_without_the_secret(tmp_path, monkeypatch):
    page = (200, JSON, b'{"status": "sent", "you_sent": "hush-hush"}')
    said, heads = visit(tmp_path, page, monkeypatch)
    assert "sent" in said
    assert "hush" not in said
    assert "x-api-key: hush-hush" in heads[0]
    assert "idempotency-key: turn:1" in heads[0]


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_refusal_of_the_server_is_told_with_its_number(tmp_path, monkeypatch, status):
    said, _ = visit(tmp_path, (status, JSON, b'{"error": "no"}'), monkeypatch)
    assert said.startswith(f"The server answered {status}")


def test_a_long_answer_is_refused_and_a_picture_is_no_text(tmp_path, monkeypatch):
    said, _ = visit(tmp_path, (200, JSON, b"x" * 1001), monkeypatch)
    assert isinstance(said, AnswerTooLarge)
    said, _ = visit(tmp_path, (200, {"content-type": "image/png"}, b"x"), monkeypatch)
    assert said == "(no text)"


# --- in the agent's hands -------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("approval", [False, True])
def test_the_agent_uses_it_like_every_other_tool(approval):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        HttpTool.objects.create(
            name="order_status",
            description="Where an order is.",
            url="https://127.0.0.1/orders/{order}",
            schema=SCHEMA,
            needs_approval=approval,
        )
        version = set_endpoint(EndpointSettings("offline", "offline"), trusted=True)
        settings = ProfileSettings(tools=("order_status",))
        publish_profile(endpoint=version.endpoint, settings=settings)
    talk = make_talk(tenant, "Where is 1001?")
    client = ScriptedChatClient(
        Say(text="Let me look.", calls=[("order_status", {"order": "1001"})]), Say(text="I see.")
    )
    desk, claimed = Recorder(), claim(talk)
    run_turn(claimed, calls=[], client=client.opened, desk=desk.desk)
    assert desk.answers[0].awaiting_approval is approval
    with tenant_scope(tenant.id):
        steps = list(ToolCall.objects.values_list("name", "state"))
    assert steps == ([] if approval else [("order_status", "failed")])
    if not approval:
        (told,) = [m for m in client.requests[1].messages if m.role == "tool"]
        assert "no public address" in str(told.contents[0].result)


@pytest.mark.django_db(transaction=True)
def test_one_that_is_switched_off_or_not_named_is_not_offered():
    tenant = make_tenant(tools=("order_status",))
    with tenant_scope(tenant.id):
        row = HttpTool.objects.create(name="order_status", description="x", schema=SCHEMA, url="x")
        HttpTool.objects.create(name="other_tool", description="x", schema=SCHEMA, url="x")
    claimed = claim(make_talk(tenant, "hello"))
    assert list(load_facts(claimed).own_tools) == ["order_status"]
    with tenant_scope(tenant.id):
        HttpTool.objects.filter(id=row.id).update(enabled=False)
    assert load_facts(claimed).own_tools == {}
    assert RunDesk().load is load_facts


# --- in the web admin -----------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_tool_is_added_with_headers_that_nobody_sees_again(browser_of, cast):
    alice = browser_of("alice")
    assert alice.post("agents:add-http-tool", **FORM).status_code == 302
    with cast.acme.scope():
        row = HttpTool.objects.get()
        assert secret_headers(row) == {"X-Api-Key": "hush-hush"}
        assert http_tool(row).repeatable
        audited = str(list(AuditEntry.objects.values_list("action", "detail")))
    pages = text_of(alice.get("agents:http-tools")) + text_of(alice.get("agents:http-tool", row.id))
    assert "order_status" in pages
    assert "order_status" in text_of(alice.get("agents:agent"))
    assert "hush" not in pages + audited
    assert "http_tool.added" in audited


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("act", "typed", "kept"),
    [
        ("keep", "", {"X-Api-Key": "hush-hush"}),
        ("set", "X-New: 1", {"X-New": "1"}),
        ("remove", "", {}),
    ],
)
def test_headers_are_kept_replaced_or_removed(browser_of, cast, act, typed, kept):
    alice = browser_of("alice")
    alice.post("agents:add-http-tool", **FORM)
    with cast.acme.scope():
        row = HttpTool.objects.get()
    form = {**FORM, "headers_act": act, "headers": typed}
    assert alice.post("agents:http-tool", row.id, **form).status_code == 302
    elsewhere = {**form, "url": "https://thief.example.com/{order}", "headers_act": "keep"}
    answer = alice.post("agents:http-tool", row.id, **{**elsewhere, "headers": ""})
    assert answer.status_code == (422 if kept else 302)
    with cast.acme.scope():
        row.refresh_from_db()
        assert secret_headers(row) == kept


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Order Status"),
        ("name", "search_knowledge"),
        ("url", "http://shop.example.com/"),
        ("url", "https://127.0.0.1/{order}"),
        ("url", "https://{order}.example.com/"),
        ("url", "https://shop.example.com/{other}"),
        ("url", "https://shop.example.com/{order!r}"),
        ("url", "https://shop.example.com/{order.__class__}"),
        ("url", "https://shop.example.com/{"),
        ("schema", "{"),
        ("schema", "[]"),
        ("schema", '{"type": "array"}'),
        ("schema", '{"type": "object", "properties": {"order": {"type": "banana"}}}'),
        ("schema", '{"type": "object", "properties": {"order": {"$ref": "https://x/"}}}'),
        ("headers", "no colon"),
        ("headers", "Host: other.example.com"),
        ("headers", "Bad Name: 1"),
        ("headers", "X-A: ünicode"),
        ("response_limit", "99999999"),
        ("description", ""),
    ],
)
def test_mistakes_are_told_by_their_field(browser_of, cast, field, value):
    answer = browser_of("alice").post("agents:add-http-tool", **{**FORM, field: value})
    assert answer.status_code == 422
    assert f"{field}_error" in text_of(answer)
    with cast.acme.scope():
        assert not HttpTool.objects.exists()


@pytest.mark.django_db
def test_a_tool_can_be_deleted(browser_of, cast):
    alice = browser_of("alice")
    alice.post("agents:add-http-tool", **FORM)
    with cast.acme.scope():
        row = HttpTool.objects.get()
    assert browser_of("mallory").post("agents:delete-http-tool", row.id).status_code == 404
    assert alice.post("agents:delete-http-tool", row.id).status_code == 302
    with cast.acme.scope():
        assert not HttpTool.objects.exists()
