"""The agent writes, a member sends: what no customer sees until then, and what makes it stale."""

from uuid import uuid4

import pytest

from agents.models import ReplyDraft, Turn, TurnState
from agents.runtime.runner import run_turn
from agents.selectors.drafts import draft_of
from agents.services import drafts, leases, turns
from agents.services.contract import Fenced, TurnError
from agents.services.drafts import DraftGone, DraftStale, NothingToDraft
from agents.services.failing import fail_turn
from agents.services.queueing import TURN
from conversations.models import Conversation, Event, Message
from conversations.selectors.lines import lines, state_of
from conversations.services import control, edits, lifecycle
from conversations.services.messages import post_reply
from tenants.due import Work
from tenants.models import AgentMode, Tenant
from tenants.scoping import tenant_scope
from tests.support.desk import Desk
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import make_tenant

pytestmark = pytest.mark.django_db

ANSWER = "It leaves tomorrow."


@pytest.fixture
def desk():
    tenant = make_tenant("northwind")
    Tenant.objects.filter(pk=tenant.pk).update(agent_mode=AgentMode.DRAFT)
    with tenant_scope(tenant.id):
        yield Desk.make()


def work(conversation, *script) -> ScriptedChatClient:
    """Runs the queued turn as a worker would."""
    turn = Turn.objects.get(conversation=conversation, state="queued")
    claimed = turns.claim(turn.id, owner="test")
    assert claimed
    client = ScriptedChatClient(*(script or [Say(ANSWER)]))
    run_turn(claimed, calls=[], client=client.opened)
    return client


def drafted(desk, *script):
    conversation = desk.start()
    work(conversation, *script)
    conversation.refresh_from_db()
    return conversation, ReplyDraft.objects.get(conversation=conversation, state="open")


def test_a_draft_is_no_message_and_the_customer_still_waits(desk):
    conversation, draft = drafted(desk)

    assert draft.text == ANSWER
    assert [getattr(line, "text", "") for line in lines(conversation.id, private=False)] == [
        "Where is order 1001?"
    ]
    assert conversation.last_message_preview == "Where is order 1001?"
    assert (conversation.handler, conversation.waiting_since is None) == ("team", False)
    turn = Turn.objects.get(pk=draft.turn_id)
    assert (turn.state, turn.drafts) == (TurnState.SUCCEEDED, True)
    assert turn.input_tokens == conversation.input_tokens == 100


def test_the_customer_is_not_told_that_the_agent_writes(desk):
    conversation = desk.start()
    turns.claim(Turn.objects.get(conversation=conversation).id, owner="test")

    assert state_of(conversation).agent_typing is False


def test_a_draft_sent_as_it_is_is_the_members_message(desk):
    _, draft = drafted(desk)
    key = uuid4()

    posted = drafts.send_draft(draft, by=desk.sam, client_key=key)
    again = drafts.send_draft(draft, by=desk.sam, client_key=key)

    assert (posted.created, again.created, again.message) == (True, False, posted.message)
    message = posted.message
    assert (message.role, message.text, message.author_name) == ("member", ANSWER, "Sam")
    assert message.turn_id == draft.turn_id
    draft.refresh_from_db()
    assert (draft.state, draft.text) == ("sent", "")
    with pytest.raises(DraftGone):
        drafts.send_draft(draft, by=desk.ines, client_key=uuid4())


def test_a_changed_draft_is_the_members_words(desk):
    _, draft = drafted(desk)
    posted = drafts.send_draft(draft, by=desk.sam, client_key=uuid4(), text="Tomorrow at noon.")

    draft.refresh_from_db()
    assert (posted.message.text, draft.state) == ("Tomorrow at noon.", "changed")


def test_a_discarded_draft_cannot_be_sent_and_another_can_be_asked_for(desk):
    conversation, draft = drafted(desk)
    drafts.discard_draft(draft)
    drafts.discard_draft(draft)

    with pytest.raises(DraftGone):
        drafts.send_draft(draft, by=desk.sam, client_key=uuid4())
    drafts.ask_for_draft(conversation)
    work(conversation, Say("Another one"))
    assert ReplyDraft.objects.get(state="open").text == "Another one"


@pytest.mark.parametrize("who", ["customer", "member"])
def test_a_draft_goes_stale_when_something_new_is_said(desk, who):
    conversation, draft = drafted(desk)
    if who == "customer":
        desk.say(conversation, "It is 1002, sorry")
    else:
        post_reply(conversation, by=desk.ines, client_key=uuid4(), text="One moment")

    with pytest.raises(DraftStale) as refused:
        drafts.send_draft(draft, by=desk.sam, client_key=uuid4())
    newest = refused.value.extra["newest_seq"]
    sent = drafts.send_draft(draft, by=desk.sam, client_key=uuid4(), read_seq=newest)
    assert sent.created


def test_a_newer_line_queues_a_new_draft_that_takes_the_place_of_the_old_one(desk):
    conversation, draft = drafted(desk)
    desk.say(conversation, "It is 1002, sorry")
    work(conversation, Say("1002 left yesterday."))

    draft.refresh_from_db()
    assert draft.state == "replaced"
    conversation.refresh_from_db()
    now = draft_of(conversation, may_draft=True)
    assert now.draft is not None
    assert (now.draft.text, now.stale) == ("1002 left yesterday.", False)


def test_a_draft_of_a_question_that_a_member_answered_meanwhile_is_not_shown(desk):
    conversation = desk.start()
    claimed = turns.claim(Turn.objects.get(conversation=conversation).id, owner="test")
    assert claimed is not None
    post_reply(conversation, by=desk.sam, client_key=uuid4(), text="Tomorrow")
    run_turn(claimed, calls=[], client=ScriptedChatClient(Say(ANSWER)).opened)

    assert not ReplyDraft.objects.filter(state="open").exists()
    assert Turn.objects.get(pk=claimed.turn_id).state == TurnState.SUCCEEDED


def test_a_draft_may_look_things_up_and_do_nothing(desk):
    _, draft = drafted(desk)
    client = work(desk.start("And 1003?"))

    tools = {tool.name for tool in client.requests[0].options["tools"]}
    assert tools == {"search_knowledge"}
    assert draft.text


def test_a_draft_that_fails_tells_the_customer_nothing(desk):
    conversation = desk.start()
    claimed = turns.claim(Turn.objects.get(conversation=conversation).id, owner="test")
    assert claimed is not None
    fail_turn(claimed, TurnError("rejected", retryable=False), [])

    assert not Event.objects.filter(conversation=conversation, public=True).exists()


def test_taking_over_leaves_the_draft_in_work(desk):
    conversation = desk.start()
    control.take_over(conversation, by=desk.sam)

    assert Turn.objects.get(conversation=conversation).state == TurnState.QUEUED


def test_new_words_of_the_question_end_the_draft_and_ask_for_another(desk):
    conversation, draft = drafted(desk)
    message = Message.objects.get(conversation=conversation)
    edits.redact_words(message, by=desk.sam, words="1001")

    draft.refresh_from_db()
    assert (draft.state, draft.text) == ("replaced", "")
    client = work(conversation)
    assert "1001" not in client.requests[0].text


def test_new_words_during_a_turn_start_it_over(desk):
    Tenant.objects.update(agent_mode=AgentMode.AUTO)
    conversation = desk.start()
    claimed = turns.claim(Turn.objects.get(conversation=conversation).id, owner="test")
    assert claimed is not None
    message = Message.objects.get(conversation=conversation)
    edits.redact_words(message, by=desk.sam, words="1001")

    with pytest.raises(Fenced):
        run_turn(claimed, calls=[], client=ScriptedChatClient(Say("1001?")).opened)
    client = work(conversation)
    assert "1001" not in client.requests[0].text
    assert Turn.objects.get(conversation=conversation).state == TurnState.SUCCEEDED


def test_a_talks_own_mode_goes_over_the_tenants(desk):
    conversation = desk.start()
    control.set_mode(conversation, mode="off", by=desk.sam)
    assert Turn.objects.get(conversation=conversation).state == TurnState.CANCELLED
    with pytest.raises(NothingToDraft):
        drafts.ask_for_draft(conversation)

    control.set_mode(conversation, mode="", by=desk.sam)
    assert Turn.objects.filter(conversation=conversation, state="queued").count() == 1
    kinds = Event.objects.filter(conversation=conversation).values_list("kind", "detail__mode")
    assert list(kinds.order_by("seq")) == [("mode_changed", "off"), ("mode_changed", "")]


def test_where_the_agent_drafts_the_team_answers(desk):
    Tenant.objects.update(agent_mode=AgentMode.AUTO)
    conversation = desk.start()
    assert conversation.handler == "agent"
    control.set_mode(conversation, mode="draft", by=desk.sam)

    conversation.refresh_from_db()
    assert conversation.handler == "team"
    work(conversation)
    assert ReplyDraft.objects.get(state="open").text == ANSWER
    with pytest.raises(control.AgentIsOff):
        control.hand_back(conversation, by=desk.sam)


def test_a_switched_off_agent_claims_nothing(desk):
    conversation = desk.start()
    Tenant.objects.update(agent_mode=AgentMode.OFF)
    assert turns.claim(Turn.objects.get(conversation=conversation).id, owner="test") is None


def test_resolving_ends_the_draft(desk):
    conversation, draft = drafted(desk)
    lifecycle.resolve(conversation, by=desk.sam)

    draft.refresh_from_db()
    assert (draft.state, draft.text) == ("discarded", "")
    assert Conversation.objects.get(pk=conversation.pk).status == "resolved"


def test_a_tenant_that_switches_to_drafts_leaves_no_queued_question_unseen(desk):
    Tenant.objects.update(agent_mode=AgentMode.AUTO)
    conversation = desk.start()
    old = Turn.objects.get(conversation=conversation)
    Tenant.objects.update(agent_mode=AgentMode.DRAFT)
    assert turns.claim(old.id, owner="test") is None

    leases.settle_unclaimed(Work(desk.tenant.id, TURN, old.id))

    conversation.refresh_from_db()
    assert conversation.handler == "team"
    work(conversation)
    assert ReplyDraft.objects.get(state="open").text == ANSWER
