"""One trace from the customer's post to the last tool, through real processes, without words."""

import json
import urllib.request
from uuid import uuid4

import pytest

from agents.services.articles import create_article
from agents.services.endpoints import EndpointSettings, set_endpoint
from tenants.models import Actor, Tenant
from tenants.scoping import tenant_scope
from tenants.services.keys import create_widget_key
from tests.durability.faults import QUICK
from tests.support.collector import collector
from tests.support.redis import empty_redis
from tests.support.stack import running_stack, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(120),
]

ASKED = "What are your opening hours, dear zebra4711?"
SAID = "Monday to Friday from nine to five, says giraffe0815"


@pytest.fixture
def key():
    tenant = Tenant.objects.create(slug="northwind", name="Northwind Bikes")
    with tenant_scope(tenant.id):
        set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
        create_article(title="Opening hours", body=f"# Opening hours\n\nWe are open {SAID}.\n")
        return create_widget_key(label="Shop", by=Actor.SYSTEM)[0].key


def env(url, **more):
    return {**QUICK, "TURNSTONE_OTEL_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "100", **more}


def call(stack, path, body, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        f"{stack.url}/widget/v1/{path}", json.dumps(body).encode(), headers
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def post(stack, key):
    token = call(stack, "sessions", {"key": key})["token"]
    body = {"client_key": str(uuid4()), "text": ASKED}
    return call(stack, "conversations", body, token)["conversation"]["id"]


def answered(spans):
    """Whether all of a turn with a tool has come."""
    names = [span.name for span in spans]
    ended = {"due turn", "invoke_agent desk", "execute_tool search_knowledge"} <= set(names)
    return ended and names.count("chat offline") == 2


def test_a_post_and_its_answer_are_one_trace_across_processes(key):
    with collector() as kept, running_stack("web", "turns", env=env(kept.url)) as stack:
        talk = post(stack, key)
        post_name = "POST widget/v1/conversations"
        wait_for(lambda: answered(kept.trace_of(post_name)), 30, "all spans of the turn")
        spans = kept.trace_of(post_name)

    by_id = {span.span: span for span in spans}
    (root,) = [span for span in spans if not span.parent]
    assert (root.name.rstrip("/"), root.role) == (post_name, "web")
    (due,) = [span for span in spans if span.name == "due turn"]
    assert (by_id[due.parent].name, due.role) == (root.name, "worker")
    # Every span but the post's own hangs on another one of the trace.
    assert all(span.parent in by_id for span in spans if span is not root)
    # The post names the talk that it made, and all of the turn name talk and turn.
    for span in spans:
        if span.name.startswith("due ") and span is not due:
            continue
        assert span.attributes["turnstone.conversation"] == talk, span.name
        assert span.attributes["gen_ai.conversation.id"] == talk
    tool = next(span for span in spans if span.name == "execute_tool search_knowledge")
    assert by_id[tool.parent].name == "invoke_agent desk"
    assert tool.attributes["turnstone.attempt"] == "1"
    chats = [span for span in spans if span.name == "chat offline"]
    assert all(span.attributes["gen_ai.usage.input_tokens"] > 0 for span in chats)

    sent = b"".join(kept.bodies)
    for word in (b"zebra4711", b"giraffe0815", b"Northwind", b"Opening", b"opening"):
        assert word not in sent


def test_a_lost_doorbell_does_not_tear_the_trace(key):
    with collector() as kept, running_stack("web", env=env(kept.url)) as stack:
        post(stack, key)
        empty_redis()
        stack.start("turns", "sweep", "beat")
        post_name = "POST widget/v1/conversations"
        wait_for(lambda: answered(kept.trace_of(post_name)), 30, "the turn, in the post's trace")


def test_words_leave_only_when_it_is_switched_on(key):
    loud = {"TURNSTONE_OTEL_CONTENT": "true"}
    with collector() as kept, running_stack("web", "turns", env=env(kept.url, **loud)) as stack:
        post(stack, key)
        wait_for(lambda: answered(kept.trace_of("POST widget/v1/conversations")), 30, "the turn")
    sent = b"".join(kept.bodies)
    assert b"zebra4711" in sent
    assert b"giraffe0815" in sent
