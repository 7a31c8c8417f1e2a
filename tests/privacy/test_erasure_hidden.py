"""The first moment of an erasure: nobody reads, hears or answers anything of the person."""

from uuid import UUID, uuid4

import pytest

from agents.models import Turn
from agents.services import turns
from agents.services.contract import Fenced, TurnAnswer
from conversations.models import Conversation, Customer, Message, WidgetToken
from conversations.selectors.inbox import Filters, inbox
from conversations.services import erasing
from conversations.services.erasure_states import ERASURE
from conversations.services.messages import post_reply
from conversations.transcript import NewRow
from tenants.due import Work
from tenants.errors import NotFound
from tests.privacy.erasing import ask, carry_on, identity, state_of
from tests.support.console import start
from tests.support.sse import Reader
from tests.support.stack import running_stack
from tests.support.widget import Widget

pytestmark = pytest.mark.django_db(transaction=True)


class Visitor(Widget):
    """With one conversation."""

    talk_id: UUID


@pytest.fixture
def zoe(cast):
    """In the widget, proven, with one conversation."""
    widget = Visitor(cast.acme)
    widget.start(identity=identity(cast.acme, subject="z-1", name="Zoe Kanarie",
                                   email="zoe@example.org"))  # fmt: skip
    widget.talk_id = UUID(widget.say("Where is my kanarie-cage?").json()["conversation"]["id"])
    return widget


def hide(company, zoe):
    """Only the first step: the person is hidden, and not a row is gone."""
    with company.scope():
        request = ask(company, Conversation.objects.get(pk=zoe.talk_id).customer)
    erasing._next(Work(company.tenant.id, ERASURE, request.id))
    return state_of(company, request)


def test_the_persons_token_is_refused(cast, zoe):
    hide(cast.acme, zoe)

    for answer in (zoe.get("conversations"), zoe.say("Hello?")):
        assert answer.status_code == 401


def test_the_persons_token_learns_of_the_own_conversation_alone(cast, zoe):
    """Before and after the rows are gone; every other number is as unknown as any."""
    with cast.acme.scope():
        others = ask(cast.acme, cast.carol)
        theirs = start(cast.carol, "Mine").id
    carry_on(cast.acme, others)
    request = hide(cast.acme, zoe)
    for _ in range(2):
        for answer in (
            zoe.get(f"conversations/{zoe.talk_id}/messages"),
            zoe.say("Hello?", where=str(zoe.talk_id)),
            zoe.post(f"conversations/{zoe.talk_id}/person", {}),
        ):
            assert (answer.status_code, answer.json()["code"]) == (410, "conversation_erased")
        absent = zoe.get(f"conversations/{uuid4()}/messages")
        erased_with_carol = zoe.get(f"conversations/{theirs}/messages")
        assert absent.status_code == erased_with_carol.status_code == 401
        assert absent.json() == erased_with_carol.json()
        carry_on(cast.acme, request)
    with cast.acme.scope():
        assert not WidgetToken.objects.exists()
    forged = zoe.token[:-4] + "AAAA"
    zoe.headers["Authorization"] = f"Bearer {forged}"
    assert zoe.get(f"conversations/{zoe.talk_id}/messages").status_code == 401


def test_whoever_knows_the_number_learns_that_it_was_deleted(cast, zoe):
    hide(cast.acme, zoe)
    zoe.start(resume=False)

    answer = zoe.say("Hello?", where=str(zoe.talk_id))

    assert (answer.status_code, answer.json()["code"]) == (410, "conversation_erased")
    assert zoe.say("Hello?", where="01a22c8c-8eb6-72d2-ad8f-8388297c2767").status_code == 404


def test_signing_in_again_makes_a_new_customer(cast, zoe):
    request = hide(cast.acme, zoe)

    zoe.start(identity=identity(cast.acme, subject="z-1"), resume=False)

    assert zoe.get("conversations").json()["results"] == []
    assert zoe.say("Hello again").status_code == 201
    assert carry_on(cast.acme, request).state == "certified"
    assert len(zoe.get("conversations").json()["results"]) == 1


def test_no_member_sees_it_in_any_list_page_or_search(cast, zoe):
    with cast.acme.scope():
        customer = Conversation.objects.get(pk=zoe.talk_id).customer
    hide(cast.acme, zoe)
    bob = cast.acme.bob.client()
    talk, api = zoe.talk_id, "/api/v1"

    assert bob.get(f"{api}/conversations?q=kanarie").json()["results"] == []
    assert bob.get(f"{api}/conversations?sort=created").json()["results"] == []
    assert str(customer.id) not in bob.get(f"{api}/customers").content.decode()
    for path in (f"conversations/{talk}", f"conversations/{talk}/messages",
                 f"conversations/{talk}/turns", f"customers/{customer.id}"):  # fmt: skip
        assert bob.get(f"{api}/{path}").status_code == 404, path
    with cast.acme.scope():
        assert inbox(cast.acme.bob.member, Filters()) == []
        assert Message.objects.filter(conversation=talk).exists(), "only hidden so far"


def test_a_running_turn_is_fenced(cast, zoe):
    with cast.acme.scope():
        queued = Turn.objects.get(conversation=zoe.talk_id)
        claimed = turns.claim(queued.id, owner="test")
    assert claimed

    hide(cast.acme, zoe)

    row = NewRow("agent", "Here is your cage.", turn_id=claimed.turn_id, saw_seq=1)
    with pytest.raises(Fenced):
        turns.commit_turn(claimed, answer=TurnAnswer([row], saw_seq=1))
    with cast.acme.scope():
        assert Turn.objects.get(pk=queued.id).state == "cancelled"


def test_a_post_that_is_under_way_finds_nothing_to_write_to(cast, zoe):
    """It had passed the gate before the tokens were refused."""
    with cast.acme.scope():
        talk = Conversation.objects.get(pk=zoe.talk_id)
    hide(cast.acme, zoe)

    with cast.acme.scope(), pytest.raises(NotFound):
        post_reply(talk, by=cast.acme.bob.member, client_key=UUID(int=7), text="Too late")


def test_open_streams_say_erased(cast, zoe):
    with running_stack("web") as stack:
        base = f"{stack.url}/api/v1"
        talk = Reader(f"{base}/conversations/{zoe.talk_id}/stream", cast.acme.bob.api_key)
        own = Reader(f"{stack.url}/widget/v1/conversations/{zoe.talk_id}/stream", zoe.token)
        with talk, own:
            for reader in (talk, own):
                reader.wait(lambda sent: [one for one in sent if one.event == "state"])
            hide(cast.acme, zoe)
            for reader in (talk, own):
                reader.wait(lambda sent: [one for one in sent if one.event == "erased"])


def test_a_hidden_customer_is_no_row_of_the_model(cast, zoe):
    hide(cast.acme, zoe)
    with cast.acme.scope():
        assert not Customer.objects.filter(name="Zoe Kanarie").exists()
        assert Customer.stored.filter(name="Zoe Kanarie").exists()
