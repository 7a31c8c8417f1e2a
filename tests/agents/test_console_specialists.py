"""Specialists in the web admin: versions that never change, mistakes told, names on every bill."""

from dataclasses import replace

import pytest
from django.db import DatabaseError, transaction

from agents.models import HttpTool, Specialist, Turn
from agents.runtime.rebuild import rebuild
from agents.services.endpoints import (
    EndpointInUse,
    EndpointSettings,
    delete_endpoint,
    set_endpoint,
)
from agents.services.specialists import (
    SpecialistChanged,
    change_specialist,
    delete_specialist,
    values_of,
)
from agents.services.usage import MeteredCall, book_calls
from tenants.models import AuditEntry
from tests.support.console import text_of
from tests.support.experts import ASK, NAMES, TOLD, hire, run
from tests.support.scripted import Say
from tests.support.shop import Shop

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shop():
    shop = Shop.make()
    with shop.scope():
        hire(shop, tools=("look_up_order",), instructions="You know all orders.")
    return shop


def test_the_turn_names_exactly_the_version_that_was_asked(shop):
    _, turn = run(shop, [ASK, TOLD], [Say(text="Paid.")])
    with shop.scope():
        first = Specialist.objects.get()
        values = replace(values_of(first), instructions="You know nothing.")
        changed = change_specialist(
            first, values, endpoint=first.endpoint, tools=NAMES, by=shop.alice
        )
        seen = rebuild(turn)
    assert (changed.version, first.name) == (2, changed.name)
    assert seen is not None
    assert seen.exact
    (tool,) = [tool for tool in seen.tools if tool.specialist]
    assert tool.specialist is not None
    assert (tool.specialist.id, tool.specialist.version, tool.same) == (first.id, 1, False)
    assert tool.specialist.instructions == "You know all orders."
    assert "You know all orders." not in str(turn.seen)


def test_a_version_never_changes_and_two_people_cannot_both_follow_it(shop):
    with shop.scope():
        row = Specialist.objects.get()
        with pytest.raises(DatabaseError), transaction.atomic():
            Specialist.objects.update(instructions="x")
        again = replace(values_of(row), seconds=9)
        change = {"endpoint": row.endpoint, "tools": NAMES, "by": shop.alice}
        change_specialist(row, again, **change)
        with pytest.raises(SpecialistChanged):
            change_specialist(row, again, **change)
        assert Specialist.objects.filter(retired_at__isnull=True).count() == 1


@pytest.fixture
def form(cast):
    with cast.acme.scope():
        version = set_endpoint(EndpointSettings("offline", "offline"), trusted=True)
    return {
        "name": "billing_expert",
        "description": "Knows invoices.",
        "endpoint": str(version.endpoint_id),
        "instructions": "Be exact.",
        "tools": ["search_knowledge"],
        "max_steps": "4",
        "seconds": "20",
        "enabled": "on",
    }


def answering(cast):
    with cast.acme.scope():
        return list(Specialist.objects.filter(retired_at__isnull=True))


def test_an_admin_makes_changes_and_deletes_one(browser_of, cast, form):
    alice = browser_of("alice")
    assert "No specialist yet" in text_of(alice.get("agents:specialists"))
    assert alice.post("agents:add-specialist", **form).status_code == 302
    (first,) = answering(cast)
    assert "A specialist. Knows invoices." in text_of(alice.get("agents:agent"))
    changed = {**form, "instructions": "Be kind."}
    assert alice.post("agents:specialist", first.id, **changed).status_code == 302
    (second,) = answering(cast)
    assert (second.version, second.instructions, second.name) == (2, "Be kind.", "billing_expert")
    old = text_of(alice.get("agents:specialist", first.id))
    assert "version 1" in old
    assert "Be exact." in old
    assert alice.post("agents:delete-specialist", second.id).status_code == 302
    assert answering(cast) == []
    assert "version 2" in text_of(alice.get("agents:specialist", second.id))
    with cast.acme.scope():
        entries = AuditEntry.objects.filter(action__startswith="specialist.").order_by("id")
        acts = [(entry.action, entry.detail) for entry in entries]
    assert acts == [
        ("specialist.added", {"version": 1}),
        ("specialist.changed", {"version": 2, "fields": ["instructions"]}),
        ("specialist.deleted", {"version": 2}),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Bad Name"),
        ("name", "search_knowledge"),
        ("name", "order_status"),
        ("description", ""),
        ("tools", ["ask_for_person"]),
        ("tools", ["refund_order"]),
        ("tools", ["order_status"]),
        ("seconds", "1"),
        ("max_steps", "99"),
        ("endpoint", "nothing"),
    ],
)
def test_mistakes_are_told_by_their_field(browser_of, cast, form, field, value):
    with cast.acme.scope():
        HttpTool.objects.create(
            name="order_status", description="x", schema={}, url="x", needs_approval=True
        )
    answer = browser_of("alice").post("agents:add-specialist", **{**form, field: value})
    assert answer.status_code == 422
    assert f"{field}_error" in text_of(answer)
    assert answering(cast) == []


def test_the_turns_panel_and_the_usage_page_name_it(browser_of, cast, talk):
    with cast.acme.scope():
        book_calls(
            [MeteredCall("specialist", "offline", "m", "ok", 7, 3, specialist="billing_expert")],
            conversation_id=talk.id,
            turn_id=Turn.objects.get(conversation=talk).id,
        )
    vera = browser_of("vera")
    assert "billing_expert" in text_of(vera.get("agents:turns", talk.id))
    assert "billing_expert" in text_of(vera.get("agents:usage"))


def test_a_model_that_a_specialist_answers_with_is_not_deleted(shop):
    with shop.scope():
        row = Specialist.objects.get()
        with pytest.raises(EndpointInUse):
            delete_endpoint(row.endpoint, by=shop.alice)
        delete_specialist(row, by=shop.alice)
        delete_endpoint(row.endpoint, by=shop.alice)
        assert row.endpoint.deleted_at is not None
