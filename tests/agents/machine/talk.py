"""One conversation with everybody who may change it, on real rows; and what must always hold."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Sum
from django.db.models.functions import Now

from agents.models import Approval, ModelCall, ToolCall, Turn, TurnState
from agents.runtime.runner import DESK, run_turn
from agents.services import approvals, leases, turns
from agents.services.contract import ClaimedTurn, Fenced, TurnAnswer, TurnError
from agents.services.failing import book_fenced, fail_turn
from agents.services.queueing import APPROVAL, LEASE, TURN, may_work, retry_turn
from agents.services.regenerating import regenerate_turn
from agents.services.usage import MeteredCall
from conversations.models import Conversation, Event, Message, Note
from conversations.services import control, edits, erasing, erasure_requests, lifecycle
from conversations.services.erasure_states import ERASURE
from conversations.services.messages import add_note, post_reply
from conversations.transcript import NewRow
from demo_shop.models import Refund
from tenants.due import Work
from tenants.models import DueWork, Tenant
from tenants.scoping import current_tenant_id, new_id
from tests.support.scripted import Say, ScriptedChatClient, pair_faults
from tests.support.shop import Shop

SECRET = "zebra4711"
_QUIET = replace(DESK, publish=lambda *_: None, typing=lambda *_, **__: None)
_LIVE = (TurnState.QUEUED, TurnState.RUNNING, TurnState.AWAITING_APPROVAL)
_ROW_OF = {TURN: TurnState.QUEUED, LEASE: TurnState.RUNNING, APPROVAL: TurnState.AWAITING_APPROVAL}


@dataclass
class Talk:
    """The talk, and what the test remembers of it to compare with."""

    shop: Shop
    number: int = 0
    # Words that no model may read any more.
    gone: set[str] = field(default_factory=set)
    # Turn: the highest fence, and the end, that were ever seen.
    fences: dict[Any, int] = field(default_factory=dict)
    ends: dict[Any, str] = field(default_factory=dict)
    asked: set[Any] = field(default_factory=set)
    erased: bool = False

    def scope(self) -> Any:
        return self.shop.scope()

    def word(self, kind: str) -> str:
        """A word that stands nowhere else."""
        self.number += 1
        return f"{kind}-{self.number}."

    # --- people ----------------------------------------------------------------------------------

    def customer_writes(self) -> None:
        self.shop.say(f"Where is order 1001? {self.word('line')}")

    def act(self, service: Callable[..., Any], **options: Any) -> None:
        with self.scope():
            service(self.shop.row(), by=self.shop.bob, **options)

    def take_over(self) -> None:
        self.act(control.take_over)

    def hand_back(self) -> None:
        self.act(control.hand_back)

    def resolve(self) -> None:
        self.act(lifecycle.resolve)

    def reopen(self) -> None:
        self.act(lifecycle.reopen)

    def reply(self) -> None:
        self.act(post_reply, text=self.word("reply"), client_key=new_id())

    def note(self) -> None:
        self.act(add_note, text=f"{SECRET} {self.word('note')}")

    def edit(self, pick: int = 0) -> None:
        """Other words in place of some that were said."""
        with self.scope():
            said = list(Message.objects.filter(superseded_at=None, role="customer").order_by("seq"))
            message = said[pick % len(said)]
            self.gone |= set(message.text.split()[-1:])
            edits.edit_message(message, by=self.shop.bob, text=f"Now: {self.word('line')}")

    def decide(self, *, approved: bool) -> None:
        """The first that waits, if one does."""
        with self.scope():
            row = Approval.objects.filter(state="pending").order_by("id").first()
            if row is not None:
                approvals.decide(row, by=self.shop.alice, approved=approved)

    def nobody_decides(self) -> None:
        with self.scope():
            Approval.objects.filter(state="pending").update(expires_at=Now())
            waiting = list(Turn.objects.filter(state="awaiting_approval"))
        for turn in waiting:
            approvals.expire(Work(self.shop.tenant.id, APPROVAL, turn.id))

    def regenerate(self, turn: Turn) -> None:
        with self.scope():
            rows = Message.objects.filter(turn_id=turn.id, role="agent").exclude(text="")
            old = [row.text for row in rows]
            regenerate_turn(turn)
            self.gone |= {word for text in old for word in text.split()[-1:]}

    def retry(self, turn: Turn) -> None:
        with self.scope():
            retry_turn(turn)

    def erase(self) -> None:
        """The customer is erased, with all that they ever said."""
        Tenant.objects.filter(pk=self.shop.tenant.pk).update(erasure_wait_hours=0)
        with self.scope():
            request = erasure_requests.ask_by_member(
                self.shop.customer, by=self.shop.alice, reason="Asked to.", confirm="ERASE"
            )
        self.erased = True
        erasing.step(Work(self.shop.tenant.id, ERASURE, request.id))

    # --- workers ---------------------------------------------------------------------------------

    def work(self, *script: Say, meanwhile: Callable[[], None] | None = None) -> None:
        """The queued turn, if there is one, with `meanwhile` between answer and commit."""
        turn_id = self.shop.queued()
        if turn_id is None:
            return
        claimed = self.claim(turn_id)
        if claimed is None:
            leases.settle_unclaimed(Work(self.shop.tenant.id, TURN, turn_id))
            return
        client, calls = ScriptedChatClient(*script, strict=False), list[MeteredCall]()
        gone, desk = set(self.gone), replace(_QUIET, commit=self._commit(meanwhile))
        try:
            run_turn(claimed, calls=calls, client=client.opened, desk=desk)
        except Fenced:
            book_fenced(claimed, calls)
        except TurnError as error:
            fail_turn(claimed, error, calls)
        for request in client.requests:
            assert pair_faults(request.messages) == []
            read = f"{request.text} {request.options.get('instructions')}"
            assert SECRET not in read, "a note reached a model"
            assert not [word for word in gone if word in read], "a model read words that are gone"

    def claim(self, turn_id: Any) -> ClaimedTurn | None:
        with self.scope():
            return turns.claim(turn_id, owner="machine")

    def _commit(self, meanwhile: Callable[[], None] | None) -> Callable[..., None]:
        def commit(claimed: ClaimedTurn, *, answer: TurnAnswer) -> None:
            if meanwhile:
                meanwhile()
            turns.commit_turn(claimed, answer=answer)

        return commit

    def lose_the_worker(self) -> None:
        """The lease of what runs is over, and the sweep finds it."""
        with self.scope():
            running = list(Turn.objects.filter(state="running"))
            Turn.objects.filter(state="running").update(lease_until=Now())
        for turn in running:
            leases.recheck_lease(Work(self.shop.tenant.id, LEASE, turn.id))

    def another_worker_answers(self) -> None:
        """It takes what was lost, and is first."""
        self.lose_the_worker()
        turn_id = self.shop.queued()
        claimed = self.claim(turn_id) if turn_id else None
        if claimed is None:
            return
        seen = self.shop.row().last_seq
        text = self.word("answer")
        row = NewRow("agent", text, turn_id=claimed.turn_id, saw_seq=seen)
        turns.commit_turn(claimed, answer=TurnAnswer([row], saw_seq=seen))

    def settle(self) -> None:
        """The agent has the talk, works everything off, and nothing is left to do."""
        if self.erased:
            return
        with self.scope():
            if self.shop.row().status != "open":
                self.reopen()
            self.hand_back()
        while self.shop.queued():
            self.work(Say(text=f"Here you are: {self.word('answer')}"))
        with self.scope():
            assert not Turn.objects.filter(state__in=["queued", "running"]).exists()
            row = self.shop.row()
            assert row.handler == "team" or row.answered_seq >= row.customer_seq

    # --- what must always hold -------------------------------------------------------------------

    def check(self) -> None:
        with self.scope():
            if self.erased:
                _nothing_is_left(self.shop)
                return
            row = self.shop.row()
            _numbers_have_no_gap(row)
            _nothing_is_said_after_a_takeover()
            _work_is_due_as_long_as_it_is(row)
            _sums_agree(row)
            _money_moved_as_approved()
            self._turns_go_forward()
            self._only_what_succeeded_was_said()

    def _turns_go_forward(self) -> None:
        for turn in Turn.objects.all():
            assert turn.fence >= self.fences.get(turn.id, 0)
            self.fences[turn.id] = turn.fence
            before = self.ends.get(turn.id)
            after = {before, "superseded"} if before == "succeeded" else {before}
            assert before is None or turn.state in after
            if turn.is_terminal:
                self.ends[turn.id] = turn.state
            if turn.state == TurnState.AWAITING_APPROVAL:
                self.asked.add(turn.id)

    def _only_what_succeeded_was_said(self) -> None:
        """An answer for each turn that succeeded, none for one that did not."""
        said = set(Message.objects.filter(role="agent").values_list("turn_id", flat=True))
        ended = Turn.objects.filter(state__in=["succeeded", "superseded"])
        succeeded = set(ended.values_list("id", flat=True))
        assert succeeded - said == set()
        # A turn that asked for an approval has said why, however it ended.
        assert said - succeeded - self.asked == set()


def _nothing_is_left(shop: Shop) -> None:
    """Also not of what a worker had in hand when it happened."""
    for model in (Message, Note, Event, Turn, ToolCall, Approval):
        assert not model.objects.exists(), model
    assert not Conversation.stored.exists()
    due = DueWork.objects.filter(tenant_id=shop.tenant.id, kind__in=_ROW_OF)
    assert list(due.values_list("kind", flat=True)) == []


def _numbers_have_no_gap(row: Conversation) -> None:
    numbers = sorted(
        number
        for model in (Message, Note, Event)
        for number in model.objects.values_list("seq", flat=True)
    )
    assert numbers == list(range(1, row.last_seq + 1))


def _nothing_is_said_after_a_takeover() -> None:
    kinds = ["taken_over", "handed_back", "person_asked", "reopened"]
    changes = Event.objects.filter(kind__in=kinds).values_list("seq", "kind")
    spoken = Message.objects.filter(role="agent").values_list("seq", flat=True)
    timeline = sorted([*changes, *((seq, "agent") for seq in spoken)])
    team = False
    for _, what in timeline:
        assert not (team and what == "agent"), f"the agent spoke beside a person: {timeline}"
        if what != "agent":
            team = what == "taken_over" or (team and what != "handed_back")


def _work_is_due_as_long_as_it_is(row: Conversation) -> None:
    due = DueWork.objects.filter(tenant_id=current_tenant_id(), kind__in=_ROW_OF)
    rows = {(ref, _ROW_OF[kind]) for ref, kind in due.values_list("ref_id", "kind")}
    live = set(Turn.objects.filter(state__in=_LIVE).values_list("id", "state"))
    assert live - rows == set(), "a turn that nobody will look at"
    states = [state for _, state in live]
    assert len(states) == len(set(states)), "two turns of one state"
    waits = Approval.objects.filter(state="pending").exists()
    assert row.approval_pending == waits == (TurnState.AWAITING_APPROVAL in states)
    unheard = may_work(row) and row.customer_seq > row.answered_seq
    assert not unheard or {TurnState.QUEUED, TurnState.RUNNING} & set(states), "nobody answers"


def _sums_agree(row: Conversation) -> None:
    calls = ModelCall.objects.aggregate(i=Sum("input_tokens"), o=Sum("output_tokens"))
    assert (row.input_tokens, row.output_tokens) == (calls["i"] or 0, calls["o"] or 0)
    wrong = [
        turn
        for turn in Turn.objects.all()
        if turn.input_tokens
        != sum(ModelCall.objects.filter(turn_id=turn.id).values_list("input_tokens", flat=True))
    ]
    assert wrong == []


def _money_moved_as_approved() -> None:
    """Each refund is one that a person approved, exactly as it was shown, and only once."""
    moved = list(Refund.objects.values_list("reason", "amount"))
    assert len(moved) == len(set(moved))
    approved = Approval.objects.filter(state="approved", tool="refund_order")
    shown = [(row.arguments["reason"], row.amount) for row in approved]
    assert [refund for refund in moved if refund not in shown] == []
