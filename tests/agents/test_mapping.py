"""Rows to messages and back: total, in causal order, and never a damaged pair."""

import re
from uuid import UUID

import pytest
from agent_framework import Content, Message
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.runtime import mapping
from agents.runtime.extent import window
from agents.runtime.mapping import to_messages, to_rows
from agents.runtime.ordering import NOT_APPROVED, OUTCOME_UNKNOWN, causal, pair, unanswered
from conversations.transcript import Row
from tests.support.scripted import pair_faults

TURN = UUID(int=7)


def row(seq, role="customer", text="", parts=None, *, turn=None, saw=None, name=""):
    return Row(seq, role, name, text, parts, turn, saw)


def to_message(item, **options):
    message = mapping.to_message(item, **options)
    assert message is not None
    return message


def call(call_id, name="look_up", **extra):
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}", **extra}


def result(call_id, value="found", **extra):
    return {"type": "function_result", "call_id": call_id, "result": value, **extra}


def shown(rows, limit=100):
    return pair(to_messages(window(causal(rows), limit=limit)))


def outline(messages):
    return [(m.role, [c.text or c.call_id for c in m.contents]) for m in messages]


def test_roles_and_the_visible_prefix_of_a_teammate():
    rows = [
        row(1, "customer", "hello"),
        row(2, "agent", "hi", turn=TURN, saw=1),
        row(3, "member", "I am here", name="Ann"),
    ]
    assert outline(shown(rows)) == [
        ("user", ["hello"]),
        ("assistant", ["hi"]),
        ("assistant", ["[Ann, support] I am here"]),
    ]


def test_a_reply_stands_right_after_what_its_turn_had_seen():
    rows = [
        row(1, text="size M"),
        row(2, text="no, size L"),
        row(3, "agent", "M is in stock", turn=TURN, saw=1),
    ]
    assert [r.text for r in causal(rows)] == ["size M", "M is in stock", "no, size L"]
    assert unanswered(shown(rows)) == ["no, size L"]


def test_a_late_result_pulls_its_call_down():
    rows = [
        row(1, text="a"),
        row(2, "agent", parts=[call("k1"), call("k2")]),
        row(3, text="b"),
        row(4, "tool", parts=[result("k2"), result("k1")]),
        row(5, "agent", "done"),
    ]
    assert outline(shown(rows)) == [
        ("user", ["a"]),
        ("user", ["b"]),
        ("assistant", ["k1", "k2"]),
        ("tool", ["k1", "k2"]),
        ("assistant", ["done"]),
    ]


def test_an_abandoned_call_gets_an_unknown_outcome_and_an_orphan_result_goes():
    rows = [
        row(1, text="a"),
        row(2, "tool", parts=[result("gone")]),
        row(3, "agent", parts=[call("k1")]),
        row(4, text="b"),
    ]
    messages = shown(rows)
    assert [m.role for m in messages] == ["user", "assistant", "tool", "user"]
    assert messages[2].contents[0].result == OUTCOME_UNKNOWN


def test_servers_that_count_call_ids_from_zero_in_every_answer():
    rows = [
        row(1, text="a"),
        row(2, "agent", parts=[call("call_0")]),
        row(3, "tool", parts=[result("call_0", "one")]),
        row(4, "agent", parts=[call("call_0")]),
        row(5, "tool", parts=[result("call_0", "two")]),
    ]
    messages = shown(rows)
    results = [c.result for m in messages if m.role == "tool" for c in m.contents]
    assert results == ["one", "two"]
    assert pair_faults(messages) == []
    assert messages[1].contents[0].call_id != messages[3].contents[0].call_id


def test_call_ids_are_such_as_every_protocol_takes():
    strange = ["functions.search:0", "x" * 100, "ü"]
    rows = [row(1, text="a"), row(2, "agent", parts=[call(name) for name in strange])]
    rows.append(row(3, "tool", parts=[result(name) for name in strange]))
    ids = [c.call_id for c in shown(rows)[1].contents]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", call_id) for call_id in ids)
    assert pair_faults(shown(rows)) == []
    assert [c.call_id for c in shown(rows)[1].contents] == ids


def approval(call_id="k1"):
    asked = call(call_id, id="af-1")
    request = {"type": "function_approval_request", "id": "af-1", "function_call": asked}
    return [asked, request]


def test_a_pending_approval_is_left_alone_and_a_void_one_is_closed():
    rows = [row(1, text="refund me"), row(2, "agent", parts=approval())]
    messages = to_messages(rows)
    left = pair(messages, pending=["af-1"])
    assert [c.type for c in left[1].contents] == ["function_call", "function_approval_request"]
    closed = pair(messages)
    assert pair_faults(closed) == []
    assert closed[2].contents[0].result == NOT_APPROVED


def test_a_decision_is_a_user_message_and_goes_once_it_is_carried_out():
    asked, request = approval()
    decision = {"type": "function_approval_response", "id": "af-1", "approved": True}
    rows = [
        row(1, text="refund me"),
        row(2, "agent", parts=[asked, request]),
        row(3, "member", parts=[decision | {"function_call": asked}]),
        row(4, "tool", parts=[result("k1", id="af-1")]),
        row(5, "agent", "refunded"),
    ]
    assert to_message(rows[2]).role == "user"
    assert outline(shown(rows)) == [
        ("user", ["refund me"]),
        ("assistant", ["k1"]),
        ("tool", ["k1"]),
        ("assistant", ["refunded"]),
    ]


def test_the_window_begins_with_a_customer_and_never_inside_a_turn():
    rows = [
        row(1, text="a"),
        row(2, "agent", parts=[call("k")], turn=TURN, saw=1),
        row(3, "tool", parts=[result("k")], turn=TURN, saw=1),
        row(4, "agent", "b", turn=TURN, saw=1),
        row(5, text="c"),
    ]
    for limit in (1, 2, 3, 4):
        assert outline(shown(rows, limit)) == [("user", ["c"])]
    assert len(shown(rows, 5)) == 5


def test_the_unanswered_lines_are_never_cut():
    rows = [row(1, "agent", "hello"), *[row(n, text="x" * 1000) for n in range(2, 12)]]
    assert len(window(rows, limit=3, tokens=500)) == 10


def test_the_budget_cuts_old_lines():
    rows = []
    for n in range(0, 100, 2):
        rows += [row(n, text="q" * 1000), row(n + 1, "agent", "a" * 1000)]
    kept = window(rows, limit=100, tokens=2_500)
    assert len(kept) == 10
    assert kept[0].role == "customer"


def test_unknown_keys_and_unknown_types_are_tolerated():
    strange = [
        call("k1", hosted=False, from_a_newer_version={"x": 1}),
        {"type": "hologram", "data": "…"},
        {"no": "type"},
        {"type": "function_call"},
        {"type": "data", "uri": 7},
        "not even a mapping",
    ]
    message = to_message(row(2, "agent", parts=strange))
    assert [c.call_id for c in message.contents if c.type == "function_call"] == ["k1"]


def test_text_that_cannot_be_stored_is_replaced_both_ways():
    message = Message("assistant", [Content.from_text("a\x00b\ud800c")])
    assert to_rows([message])[0].text == "a\ufffdb\ufffdc"
    tool = Message("tool", [Content.from_function_result("k", result="x\x00y")])
    assert "\x00" not in str(to_rows([tool])[0].parts)
    assert to_message(row(1, text="a\x00")).text == "a\ufffd"


def test_an_edited_line_does_not_live_on_in_its_parts():
    parts = [{"type": "text", "text": "my card is 4111"}]
    assert to_message(row(1, text="my card is ████", parts=parts)).text == "my card is ████"


def test_reasoning_of_another_model_is_dropped():
    content = Content.from_text_reasoning(text="hm", protected_data="sealed")
    message = Message("assistant", [content, Content.from_text("yes")])
    stored = to_rows([message], vendor="responses/a")[0]
    assert stored.text == "yes"
    again = row(2, "agent", stored.text, stored.parts)
    assert [c.type for c in to_message(again, vendor="responses/a").contents] == [
        "text_reasoning",
        "text",
    ]
    assert [c.type for c in to_message(again, vendor="messages/b").contents] == ["text"]


def test_words_beside_a_tool_call_are_for_the_model_only():
    said = Content.from_text("let me look")
    looked = Content.from_function_call("k1", "look_up", arguments={"order": "1001"})
    answer = Message("tool", [Content.from_function_result("k1", result="shipped")])
    rows = to_rows([Message("assistant", [said, looked]), answer, Message("assistant", ["It is."])])
    assert [r.text for r in rows] == ["", "", "It is."]
    assert rows[2].parts is None
    back = [to_message(row(n, r.role, r.text, r.parts)) for n, r in enumerate(rows)]
    assert back[0].text == "let me look"
    assert back[0].contents[1].parse_arguments() == {"order": "1001"}
    assert back[1].contents[0].result == "shipped"


_ids = st.sampled_from(["k0", "k1", "k2"])
_parts = st.lists(
    st.one_of(
        st.builds(call, _ids),
        st.builds(result, _ids),
        st.builds(lambda t: {"type": "text", "text": t}, st.text(max_size=5)),
        st.builds(lambda: approval()[1]),
        st.builds(lambda: {"type": "function_approval_response", "id": "af-1"}),
        st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    ),
    max_size=4,
)
_row = st.builds(
    row,
    st.integers(1, 30),
    st.sampled_from(["customer", "agent", "member", "tool"]),
    st.text(max_size=5),
    st.none() | _parts,
    turn=st.none() | st.just(TURN),
    saw=st.none() | st.integers(1, 30),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(_row, max_size=14), st.integers(1, 14))
def test_any_history_comes_out_valid(rows, limit):
    messages = shown(rows, limit)
    assert pair_faults(messages) == []
    ids = [c.call_id for m in messages for c in m.contents if c.type == "function_call"]
    assert len(ids) == len(set(ids))


@settings(max_examples=200, deadline=None)
@given(st.lists(_row, max_size=14))
def test_healing_twice_changes_nothing(rows):
    once = shown(rows)
    assert outline(pair(once)) == outline(once)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.text(min_size=1, max_size=8)), max_size=8))
def test_what_was_said_survives_the_round_trip(lines):
    spoken = [(ours, text) for ours, text in lines if text.strip()]
    messages = [Message("assistant", [text]) for ours, text in spoken if ours]
    rows = to_rows(messages)
    back = [to_message(row(n, r.role, r.text, r.parts)).text for n, r in enumerate(rows)]
    assert back == [text.replace("\x00", "\ufffd") for ours, text in spoken if ours]


@pytest.mark.parametrize("value", [None, [], {}, "text", 3])
def test_results_of_any_shape(value):
    message = to_message(
        row(1, "tool", parts=[{"type": "function_result", "call_id": "k", "result": value}])
    )
    assert message.contents[0].call_id == "k"
