"""How much of a talk is shown: nothing parted, nothing running cut, rows untouched."""

from copy import deepcopy
from itertools import count
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.runtime.extent import is_full, is_long, summable, tokens_in, window
from agents.runtime.mapping import to_messages
from agents.runtime.ordering import causal, pair
from agents.services.tokens import by_bytes, by_characters
from conversations.transcript import Row
from tests.support.scripted import pair_faults

STEPS = ("customer", "member", "answer", "tools", "interrupted", "asked", "decided", "abandoned")


class Teller:
    """Writes rows as the desk would, one step after the other."""

    def __init__(self, words):
        self.words = words
        self.rows: list[Row] = []
        self.seqs, self.calls = count(1), count(1)
        self.waiting: list[str] = []

    def row(self, role, text="", parts=None, turn=None, saw=None):
        self.rows.append(Row(next(self.seqs), role, "", text, parts, turn, saw))

    def call(self, turn, saw):
        name = f"call-{next(self.calls)}"
        part = {"type": "function_call", "call_id": name, "name": "look", "arguments": "{}"}
        self.row("agent", parts=[part], turn=turn, saw=saw)
        return name

    def result(self, name, turn, saw):
        part = {"type": "function_result", "call_id": name, "result": self.words}
        self.row("tool", parts=[part], turn=turn, saw=saw)

    def play(self, step):
        turn, saw = uuid4(), self.rows[-1].seq if self.rows else 0
        if step in ("customer", "member"):
            self.row(step, self.words)
        elif step == "asked":
            self.waiting.append(self.call(turn, saw))
        elif step == "abandoned":
            self.call(turn, saw)
        elif step == "decided":
            for name in self.waiting:
                self.result(name, turn, saw)
            self.waiting = []
            self.row("agent", self.words, turn=turn, saw=saw)
        else:
            self.turn(step, turn, saw)

    def turn(self, step, turn, saw):
        if step == "interrupted":
            self.row("customer", self.words)  # the turn has not seen this
        if step == "tools":
            for name in [self.call(turn, saw), self.call(turn, saw)]:
                self.result(name, turn, saw)
        self.row("agent", self.words, turn=turn, saw=saw)


@st.composite
def talks(draw):
    """A talk in causal order; some began before the window that was read."""
    steps = draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=40))
    teller = Teller(draw(st.sampled_from(["ok", "some words", "x" * 400, "كلمات قليلة"])))
    for step in steps:
        teller.play(step)
    return causal(teller.rows[draw(st.integers(0, 3)) :])


extents = st.fixed_dictionaries(
    {
        "limit": st.integers(1, 40),
        "tokens": st.integers(1, 2_000),
        "count": st.sampled_from([by_characters, by_bytes, len]),
    }
)


def spans(rows):
    """Places of each call and of its result."""
    places = {}
    for index, row in enumerate(rows):
        for part in row.parts or []:
            places.setdefault(part["call_id"], []).append(index)
    return [(span[0], span[1]) for span in places.values() if len(span) == 2]


def running(rows):
    """Where the customer's last lines begin; all rows when the customer said nothing."""
    last = max((n for n, row in enumerate(rows) if row.role == "customer"), default=None)
    if last is None:
        return len(rows)
    while last and rows[last - 1].role == "customer":
        last -= 1
    return last


def may_begin(rows, place):
    whole = all(not call < place <= result for call, result in spans(rows))
    return rows[place].role == "customer" and place <= running(rows) and whole


@given(talks(), extents)
@settings(max_examples=300, deadline=None)
def test_a_window_is_the_end_of_the_talk_and_cuts_neither_a_pair_nor_the_running_turn(rows, extent):
    before = deepcopy(rows)
    shown = window(rows, **extent)
    start = len(rows) - len(shown)
    assert rows == before
    assert shown == rows[start:]
    assert start <= running(rows)
    legal = [place for place in range(len(rows)) if may_begin(rows, place)]
    if legal:
        assert start in legal
    too_much = len(shown) > extent["limit"]
    too_much = too_much or tokens_in(shown, extent["count"]) > extent["tokens"]
    assert not too_much or not [place for place in legal if place > start]
    assert pair_faults(pair(to_messages(shown))) == []


@given(talks(), extents)
@settings(max_examples=200, deadline=None)
def test_all_that_fits_is_shown(rows, extent):
    fits = len(rows) <= extent["limit"]
    fits = fits and tokens_in(rows, extent["count"]) <= extent["tokens"]
    legal = [place for place in range(len(rows)) if may_begin(rows, place)]
    if fits and legal:
        assert len(window(rows, **extent)) == len(rows) - legal[0]


@given(talks(), extents)
@settings(max_examples=300, deadline=None)
def test_a_summary_takes_the_place_of_whole_turns_and_one_number_parts_the_lines(rows, extent):
    before = deepcopy(rows)
    keep, tokens = extent["limit"], extent["tokens"]
    places = summable(rows, keep=keep, tokens=tokens, count=extent["count"])
    assert rows == before
    assert places == sorted(set(places))
    for place in places:
        assert may_begin(rows, place)
        summed, kept = rows[:place], rows[place:]
        last = max(row.seq for row in summed)
        assert causal([row for row in rows if row.seq > last]) == kept
        # Nothing that is summed up would have had room beside what is kept.
        wider = rows[place - 1 :]
        assert len(wider) > keep or tokens_in(wider, extent["count"]) > tokens


@given(talks(), extents)
@settings(max_examples=200, deadline=None)
def test_what_leaves_the_window_is_in_time_for_a_summary(rows, extent):
    """A talk that lost lines is long: their summary is looked for; and full: it was made."""
    legal = [place for place in range(len(rows)) if may_begin(rows, place)]
    if legal and len(window(rows, **extent)) < len(rows) - legal[0]:
        assert is_full(rows, **extent)
        assert is_long(rows, **extent)
