"""Whatever people and workers do to a conversation in whatever order, docs/runs.md holds.

Hypothesis chooses the steps and makes a failure short. A new way of changing a talk is one more
line in `PEOPLE`, and whatever must hold of it belongs into `Talk.check`.
"""

import itertools
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from hypothesis.stateful import run_state_machine_as_test as run

from agents.models import Turn
from tenants.errors import DeskError
from tests.agents.machine.talk import Talk
from tests.support.scripted import Say
from tests.support.shop import Shop, look_up, refund

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]

_shops = itertools.count(1)

# What is done, and how often beside the others: talks that only rest would show nothing.
PEOPLE = {
    "customer_writes": 4,
    "approve": 5,
    "reject": 1,
    "hand_back": 4,
    "take_over": 1,
    "reply": 1,
    "note": 1,
    "edit": 1,
    "resolve": 1,
    "reopen": 1,
    "nobody_decides": 1,
    "regenerate": 2,
    "retry": 2,
    "lose_the_worker": 1,
    "erase": 1,
}
ANSWERS = {
    "say": 3,
    "look up": 1,
    "refund": 4,
    "two refunds": 2,
    "person": 1,
    "fail": 2,
    "fail for good": 1,
}
# What happens between the model's answer and its commit.
MEANWHILE = {
    "nothing": 8,
    "customer_writes": 1,
    "take_over": 1,
    "resolve": 1,
    "reply": 1,
    "edit": 1,
    "approve": 1,
    "lose_the_worker": 1,
    "another_worker_answers": 1,
    "erase": 1,
}


def often(weights):
    return st.sampled_from([name for name, weight in weights.items() for _ in range(weight)])


people, workers = often(PEOPLE), st.tuples(often(ANSWERS), often(MEANWHILE))


class Machine(RuleBasedStateMachine):
    """One talk of a shop; its rows are committed, as they are in life."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk(Shop.make(f"shop-{next(_shops)}"))
        self.talk.customer_writes()

    @rule(steps=st.lists(people | workers | workers, min_size=6, max_size=10))
    def they_do(self, steps):
        """Several, since short talks hold few surprises; what must hold holds after each."""
        for step in steps:
            if self.talk.erased:
                return
            if isinstance(step, str):
                self._one_acts(step)
            else:
                answer, meanwhile = step
                self.talk.work(*self._script(answer), meanwhile=partial(self._act, meanwhile))
            self.talk.check()

    def _one_acts(self, name):
        with suppress(DeskError):  # the desk may say no, with a reason for people
            self._act(name)

    def _act(self, name):
        talk = self.talk
        if name == "nothing":
            return
        if name in {"approve", "reject"}:
            talk.decide(approved=name == "approve")
        elif name in {"regenerate", "retry"}:
            self._anew(name, ["succeeded"] if name == "regenerate" else ["failed", "cancelled"])
        else:
            getattr(talk, name)()

    def _anew(self, name, states):
        with self.talk.scope():
            turn = Turn.objects.filter(state__in=states).order_by("-created_at").first()
        if turn is not None:
            getattr(self.talk, name)(turn)

    def _script(self, answer):
        talk, done = self.talk, Say(text=f"Done. {self.talk.word('answer')}")
        one, two = (talk.word("refund") for _ in range(2))
        return {
            "say": [done],
            "look up": [Say(calls=[look_up()]), done],
            "refund": [Say(text="I ask.", calls=[refund(amount=1, reason=one)]), done],
            "two refunds": [
                Say(calls=[refund("1002", 2, one), look_up(), refund("1003", 3, two)]),
                done,
            ],
            "person": [Say(calls=[("ask_for_person", {"reason": "x"})]), done],
            "fail": [Say(fail=OSError("cut"))],
            "fail for good": [Say(calls=[look_up()]), Say(fail=ValueError("no"))],
        }[answer]

    def teardown(self):
        self.talk.settle()
        self.talk.check()


def test_a_talk_holds_together_whatever_is_done_to_it(request):
    examples = request.config.getoption("--examples")
    run(
        Machine,
        settings=settings(
            max_examples=examples or 10,
            stateful_step_count=3,
            # The same steps each time, so that nobody's merge is stopped by another one's luck;
            # asked for more, it looks for new ones.
            derandomize=examples is None,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
