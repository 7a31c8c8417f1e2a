"""MCP servers: what is read from them, what is sent, and that they change nothing by themselves."""

import asyncio
import json
from typing import Any

import pytest

from agents.models import McpServer, ToolCall
from agents.runtime.facts import load_facts
from agents.runtime.mcp import McpAddress, McpFault, call_tool, list_tools
from agents.runtime.runner import run_turn
from agents.services.mcp import keep_tools, offered_name, server_headers
from agents.services.profiles import current_profile, publish_profile, settings_of
from tenants.addresses import AddressRefused
from tenants.scoping import tenant_scope
from tests.support.console import text_of
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.sites import Site, loopback
from tests.support.talks import Recorder, claim, make_talk, make_tenant
from tests.support.tls import certificate

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [
    {"name": "Get-Weather", "description": "The weather.", "inputSchema": SCHEMA,
     "annotations": {"readOnlyHint": True}},
    {"name": "bad", "inputSchema": {"type": "object", "properties": {"x": {"type": "banana"}}}},
    {"name": 5},
    "nothing",
]  # fmt: skip


class Server(Site):
    """Answers JSON-RPC; as events when asked to."""

    as_events = False
    fault: Any = None

    async def _answer(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        size = int(head.lower().split("content-length:")[1].split()[0])
        asked = json.loads(await reader.readexactly(size))
        self.heads.append((asked["method"], head.lower(), asked))
        status, kind, body = self.reply(asked)
        lines = [
            f"HTTP/1.1 {status} X",
            f"content-type: {kind}",
            f"content-length: {len(body)}",
            "mcp-session-id: s-1",
            "connection: close",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        writer.close()

    def reply(self, asked):
        if self.fault:
            return self.fault
        if "id" not in asked:
            return 202, "text/plain", b""
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {}},
            "tools/list": {"tools": TOOLS},
            "tools/call": {"content": [{"type": "text", "text": "Sunny, hush-hush"}]},
        }
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]}
        text = json.dumps(answer)
        if self.as_events:
            ping = 'event: message\ndata: {"jsonrpc": "2.0", "method": "notifications/x"}\n\n'
            return 200, "text/event-stream", f"{ping}data: {text}\n\n".encode()
        return 200, "application/json", text.encode()


def speak(tmp_path, monkeypatch, act, **how):
    async def go():
        async with Server(certificate(tmp_path, "mcp.example")) as server:
            vars(server).update(how)
            monkeypatch.setattr("agents.runtime.egress.tls_context", lambda: server.trusting)
            url = f"https://mcp.example:{server.port}/mcp"
            address = McpAddress(url, {"authorization": "hush-hush"}, loopback(server))
            return await act(address), server.heads

    return asyncio.run(go())


@pytest.mark.parametrize("as_events", [False, True])
def test_tools_are_read_and_unusable_ones_left_out(tmp_path, monkeypatch, as_events):
    tools, heads = speak(tmp_path, monkeypatch, list_tools, as_events=as_events)
    assert [(tool["name"], tool["only_reads"]) for tool in tools] == [("Get-Weather", True)]
    assert [method for method, _, _ in heads] == [
        "initialize",
        "notifications/initialized",
        "tools/list",
    ]
    assert "mcp-session-id" not in heads[0][1]
    assert all("mcp-session-id: s-1" in head for _, head, _ in heads[1:])
    assert all("authorization: hush-hush" in head for _, head, _ in heads)


def test_a_call_sends_its_arguments_and_its_answer_holds_no_secret(tmp_path, monkeypatch):
    def act(address):
        return call_tool(address, "Get-Weather", {"city": "Rome"})

    said, heads = speak(tmp_path, monkeypatch, act)
    assert said == "Sunny, …"
    assert heads[-1][2]["params"] == {"name": "Get-Weather", "arguments": {"city": "Rome"}}


@pytest.mark.parametrize(
    "fault",
    [
        (401, "text/plain", b"no"),
        (200, "text/html", b"<html>"),
        (200, "application/json", b"[" * 100_000),
        (200, "application/json", b'{"jsonrpc": "2.0", "id": 1, "error": {"message": "no"}}'),
        (200, "application/json", b'{"jsonrpc": "2.0", "id": 1, "result": 5}'),
    ],
)
def test_a_server_that_misbehaves_is_told_apart(tmp_path, monkeypatch, fault):
    with pytest.raises(McpFault):
        speak(tmp_path, monkeypatch, list_tools, fault=fault)


def test_a_private_address_is_not_called():
    with pytest.raises(AddressRefused):
        asyncio.run(list_tools(McpAddress("https://127.0.0.1/mcp")))


def test_names_fit_every_protocol():
    assert offered_name("shop", "Get-Weather.v2") == "shop_get_weather_v2"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("approval", [True, False])
def test_the_agent_uses_its_tools_and_asks_unless_a_member_trusts_the_server(approval):
    name = "shop_get_weather"
    tenant = make_tenant(tools=(name,))
    stored = {"name": "Get-Weather", "description": "x", "schema": SCHEMA, "only_reads": True}
    with tenant_scope(tenant.id):
        McpServer.objects.create(
            name="shop", url="https://127.0.0.1/mcp", tools=[stored], needs_approval=approval
        )
    claimed = claim(make_talk(tenant, "Will it rain?"))
    assert list(load_facts(claimed).own_tools) == [name]
    client = ScriptedChatClient(
        Say(text="Let me look.", calls=[(name, {"city": "Rome"})]), Say(text="I cannot say.")
    )
    desk = Recorder()
    run_turn(claimed, calls=[], client=client.opened, desk=desk.desk)
    assert desk.answers[0].awaiting_approval is approval
    with tenant_scope(tenant.id):
        assert ToolCall.objects.filter(state="failed").exists() is not approval
        profile = current_profile()
        assert profile is not None
        publish_profile(endpoint=profile.endpoint, settings=settings_of(profile))
        McpServer.objects.update(enabled=False)
    assert load_facts(claimed).own_tools == {}


# --- in the web admin -----------------------------------------------------------------------------

FORM = {
    "name": "shop",
    "url": "https://mcp.example.com/mcp",
    "headers": "Authorization: Bearer hush",
    "needs_approval": "on",
    "enabled": "on",
}


@pytest.mark.django_db
def test_a_server_is_added_changed_and_deleted_and_its_headers_stay_secret(browser_of, cast):
    alice = browser_of("alice")
    assert alice.post("agents:add-mcp-server", **FORM).status_code == 302
    with cast.acme.scope():
        row = McpServer.objects.get()
        assert server_headers(row) == {"Authorization": "Bearer hush"}
        tool = {"name": "Weather", "description": "x", "schema": SCHEMA, "only_reads": True}
        keep_tools(row, [tool], by=cast.acme.alice.member)
    page = text_of(alice.get("agents:mcp-servers")) + text_of(
        alice.get("agents:mcp-server", row.id)
    )
    assert "Weather" in page
    assert "hush" not in page
    assert "shop_weather" in text_of(alice.get("agents:agent"))
    kept = {**FORM, "headers_act": "keep", "headers": ""}
    moved = {**kept, "url": "https://thief.example.com/mcp"}
    bare = {**moved, "headers_act": "remove"}
    assert alice.post("agents:mcp-server", row.id, **moved).status_code == 422
    assert alice.post("agents:mcp-server", row.id, **kept).status_code == 302
    assert alice.post("agents:mcp-server", row.id, **bare).status_code == 302
    with cast.acme.scope():
        row.refresh_from_db()
        assert (row.tools, server_headers(row)) == ([], {})
    assert browser_of("mallory").post("agents:delete-mcp-server", row.id).status_code == 404
    assert alice.post("agents:delete-mcp-server", row.id).status_code == 302
    with cast.acme.scope():
        assert not McpServer.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "The Shop"),
        ("url", "http://mcp.example.com/"),
        ("url", "https://10.0.0.1/mcp"),
        ("url", "https://mcp.example.com/?key=1"),
        ("headers", "Host: x"),
    ],
)
def test_mistakes_are_told_by_their_field(browser_of, field, value):
    answer = browser_of("alice").post("agents:add-mcp-server", **{**FORM, field: value})
    assert answer.status_code == 422
    assert f"{field}_error" in text_of(answer)


@pytest.mark.django_db(transaction=True)
def test_a_server_that_cannot_be_reached_is_said_in_words(browser_of, cast):
    alice = browser_of("alice")
    alice.post("agents:add-mcp-server", **{**FORM, "url": "https://nowhere.invalid/mcp"})
    with cast.acme.scope():
        row = McpServer.objects.get()
    assert alice.post("agents:read-mcp-tools", row.id).status_code == 302
    assert "cannot be reached" in text_of(alice.get("agents:mcp-servers"))
