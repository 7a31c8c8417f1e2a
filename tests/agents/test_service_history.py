"""A history that the model's service keeps: an option, bound to its talk, never the truth."""

import json
from uuid import uuid4

import pytest

from agents import tasks
from agents.models import ModelEndpoint, ServiceHistory, Turn, TurnState
from agents.runtime.rebuild import messages_of, rebuild
from agents.selectors.providers import providers_of
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.queueing import TURN
from agents.services.regenerating import regenerate_turn
from conversations.models import Conversation, Message
from conversations.services import control, edits
from conversations.services.forking import fork
from conversations.services.messages import post_reply
from tenants.due import Work
from tenants.models import AuditEntry
from tests.support import recorder as wire
from tests.support.console import text_of
from tests.support.protocols import loose_ends, read
from tests.support.recorder import Recorder, Wire
from tests.support.scripted import Say
from tests.support.shop import Shop, refund

pytestmark = pytest.mark.django_db(transaction=True)

SEARCH = ("call_1", "search_knowledge", json.dumps({"query": "hours"}))
GONE = Wire({"error": {"message": "Previous response with id 'resp_1' not found."}}, status=404)


def says(text, number):
    return wire.response(text, name=f"resp_{number}")


def calls(number):
    return wire.response("", SEARCH, name=f"resp_{number}")


@pytest.fixture
def shop():
    return Shop.make()


def point_at(shop, server, **endpoint):
    settings = EndpointSettings(api="responses", model="asked", base_url=f"{server.url}/v1")
    with shop.scope():
        row = set_endpoint(settings, trusted=True).endpoint
        ModelEndpoint.objects.filter(pk=row.pk).update(**{"history": "service", **endpoint})
    return row


def work_off(shop):
    while (turn_id := shop.queued()) is not None:
        tasks.answer(Work(shop.tenant.id, TURN, turn_id))


def talk(shop, *lines):
    for line in lines:
        shop.say(line)
        work_off(shop)


def sent(request):
    """The id that it goes on from, and the words of the talk."""
    body = request.body
    return body.get("previous_response_id"), [said.text for said in read("responses", body)]


def kept(shop):
    with shop.scope():
        rows = ServiceHistory.objects.exclude(seal="").order_by("created_at", "id")
        return list(rows.values_list("response_id", flat=True))


def test_only_what_is_new_is_sent_and_the_own_rows_stay_whole(shop):
    answers = [says("Hello.", 1), calls(2), says("Nine to five.", 3), says("Bye.", 4)]
    with Recorder(*answers) as server:
        point_at(shop, server)
        talk(shop, "hello", "When are you open?", "Thanks!")
    first, second, result, third = server.requests
    assert all(request.body["store"] is True for request in server.requests)
    assert sent(first) == (None, ["hello"])
    assert sent(second) == ("resp_1", ["When are you open?"])
    (output,) = result.body["input"]
    assert (result.body["previous_response_id"], output["call_id"]) == ("resp_2", "call_1")
    assert sent(third) == ("resp_3", ["Thanks!"])
    assert kept(shop) == ["resp_1", "resp_3", "resp_4"]
    with shop.scope():
        rows = Message.objects.order_by("seq").values_list("role", "text")
        assert [row for row in rows if row[1]] == [
            ("customer", "hello"),
            ("agent", "Hello."),
            ("customer", "When are you open?"),
            ("agent", "Nine to five."),
            ("customer", "Thanks!"),
            ("agent", "Bye."),
        ]
        assert Message.objects.filter(role="tool").count() == 1


def test_the_turn_says_what_the_service_added_and_compares_with_the_whole_talk(shop, client):
    with Recorder(says("Hello.", 1), says("Nine.", 2)) as server:
        point_at(shop, server)
        talk(shop, "hello", "When?")
    with shop.scope():
        turn = Turn.objects.order_by("-created_at")[0]
        seen = rebuild(turn)
        assert seen is not None
        assert (seen.exact, seen.kept, [m.text for m in seen.messages]) == (True, [1, 2], ["When?"])
        assert [m.text for m in messages_of(turn, vendor="x")] == ["hello", "Hello.", "When?"]
    client.force_login(shop.bob.user)
    page = text_of(client.get(f"/t/{shop.tenant.slug}/turns/{turn.id}/seen/"))
    assert "added lines #1 – #2" in page
    assert "resp_1" not in page


def test_another_model_goes_on_from_the_rows(shop):
    with Recorder(says("Hello.", 1)) as server:
        point_at(shop, server)
        talk(shop, "hello")
    with Recorder(wire.completion("Yes.")) as other:
        settings = EndpointSettings("chat_completions", "other", f"{other.url}/v1")
        with shop.scope():
            set_endpoint(settings, trusted=True)
        talk(shop, "Still there?")
    said = read("chat_completions", other.requests[0].body)
    assert [one.text for one in said] == ["hello", "Hello.", "Still there?"]
    with Recorder(says("Back.", 2)) as server:
        point_at(shop, server)
        talk(shop, "And you?")
    # At an address that it does not know, and after words that the service never saw.
    assert sent(server.requests[0]) == (
        None,
        ["hello", "Hello.", "Still there?", "Yes.", "And you?"],
    )


def test_an_answer_written_anew_forks_from_the_one_before(shop):
    with Recorder(says("Hello.", 1), says("Nine.", 2), says("Nine to five.", 3)) as server:
        point_at(shop, server)
        talk(shop, "hello", "When?")
        with shop.scope():
            last = Turn.objects.filter(state=TurnState.SUCCEEDED).order_by("-created_at")[0]
            regenerate_turn(last)
        work_off(shop)
    assert sent(server.requests[2]) == ("resp_1", ["When?"])
    assert kept(shop) == ["resp_1", "resp_3"]


def test_a_forked_conversation_goes_on_from_the_earlier_answer(shop):
    with Recorder(says("Hello.", 1), says("Nine.", 2), says("Yes.", 3), says("No.", 4)) as server:
        point_at(shop, server)
        talk(shop, "hello", "When?")
        old = shop.talk
        with shop.scope():
            shop.talk = fork(Message.objects.get(text="Hello."), by=shop.bob)
            control.hand_back(shop.talk, by=shop.bob)
        talk(shop, "Are you sure?")
        shop.talk = old
        talk(shop, "Really?")
    assert sent(server.requests[2]) == ("resp_1", ["Are you sure?"])
    assert sent(server.requests[3]) == ("resp_2", ["Really?"])


def test_changed_words_are_sent_and_not_left_to_the_service(shop):
    with Recorder(says("Hello.", 1), says("Yes.", 2)) as server:
        point_at(shop, server)
        talk(shop, "My card is 4111.")
        with shop.scope():
            line = Message.objects.get(role="customer")
            edits.redact_message(line, start=11, end=15, by=shop.bob)
        assert kept(shop) == []
        talk(shop, "Did you get it?")
    previous, words = sent(server.requests[1])
    assert previous is None
    assert len(words) == 3
    assert "4111" not in str(server.requests[1].body)


def test_what_the_team_said_meanwhile_is_told(shop):
    with Recorder(says("Hello.", 1), says("Yes.", 2)) as server:
        point_at(shop, server)
        talk(shop, "hello")
        with shop.scope():
            post_reply(shop.row(), by=shop.bob, client_key=uuid4(), text="I am looking.")
            control.hand_back(shop.row(), by=shop.bob)
        talk(shop, "And?")
    previous, words = sent(server.requests[1])
    assert (previous, words) == ("resp_1", ["[Support_Agent, support] I am looking.", "And?"])


@pytest.mark.parametrize("change", ["conversation", "response_id", "saw_seq"])
def test_an_id_that_was_moved_or_changed_is_not_used(shop, change):
    with Recorder(says("Hello.", 1), says("Yes.", 2), says("Yes.", 3)) as server:
        point_at(shop, server)
        talk(shop, "hello")
        first, shop.talk = shop.talk, None
        with shop.scope():
            rows = ServiceHistory.objects.all()
            if change == "response_id":
                rows.update(response_id="resp_9")
            elif change == "saw_seq":
                rows.update(saw_seq=0)
        if change == "conversation":
            shop.say("Somebody else")
            with shop.scope():
                rows.update(conversation=shop.talk)
        else:
            shop.talk = first
            shop.say("And now?")
        work_off(shop)
    assert sent(server.requests[1])[0] is None


def test_an_id_of_another_conversation_is_refused_and_nothing_stored(shop):
    with Recorder(says("Hello.", 1), says("Secrets.", 1)) as server:
        point_at(shop, server)
        talk(shop, "hello")
        shop.talk = None
        talk(shop, "And who are you?")
    with shop.scope():
        turn = Turn.objects.get(conversation=shop.talk)
        assert (turn.state, turn.error_code) == (TurnState.FAILED, "service_id_foreign")
        assert not Message.objects.filter(conversation=shop.talk, role="agent").exists()
    assert kept(shop) == ["resp_1"]
    assert len(server.requests) == 2


def test_a_service_that_has_forgotten_is_told_everything_again(shop):
    with Recorder(says("Hello.", 1), GONE, says("Yes.", 2)) as server:
        point_at(shop, server)
        talk(shop, "hello", "Still there?")
    assert sent(server.requests[1]) == ("resp_1", ["Still there?"])
    assert sent(server.requests[2]) == (None, ["hello", "Hello.", "Still there?"])
    assert kept(shop) == ["resp_2"]
    assert shop.said()[-1] == ("agent", "Yes.")


def test_a_certificate_can_name_who_keeps_it_even_when_the_option_is_off_again(shop):
    with Recorder(says("Hello.", 1), says("Yes.", 2)) as server:
        row = point_at(shop, server)
        talk(shop, "hello")
        with shop.scope():
            edits.redact_message(Message.objects.get(seq=1), start=0, end=1, by=shop.bob)
        point_at(shop, server, history="own")
        talk(shop, "And now?")
    with shop.scope():
        assert ServiceHistory.objects.get().endpoint_id == row.id
        (provider,) = providers_of([shop.talk.id])
    assert provider.name == "asked (responses, keeps the conversation)"
    assert server.requests[1].body["store"] is False


def test_around_an_approval_the_rows_speak(shop):
    shop.say("My lamp came broken, please refund it.")
    shop.work_off(Say(text="I will see to it.", calls=[refund()]))
    with Recorder(says("That is settled.", 1), says("You are welcome.", 2)) as server:
        point_at(shop, server)
        (approval,) = shop.asked()
        shop.decide(approval, approved=True)
        work_off(shop)
        talk(shop, "Thank you!")
    settled, thanks = server.requests
    assert settled.body["store"] is False
    assert sent(thanks)[0] is None
    assert loose_ends(read("responses", thanks.body)) == []
    assert shop.refunds() == [("1001", 20)]


def test_it_is_erased_with_its_conversation(shop):
    with Recorder(says("Hello.", 1)) as server:
        point_at(shop, server)
        talk(shop, "hello")
    with shop.scope():
        Conversation.objects.filter(pk=shop.talk.pk).delete()
    assert kept(shop) == []


@pytest.mark.parametrize("stray_id", ["raise", "warn", "clear"])
def test_an_id_that_nobody_asked_for(shop, stray_id):
    with Recorder(calls(1), says("Nine to five.", 2), says("Yes.", 3)) as server:
        point_at(shop, server, history="own", stray_id=stray_id, options={"store": True})
        talk(shop, "When?")
        if stray_id == "raise":
            with shop.scope():
                turn = Turn.objects.get()
                assert (turn.state, turn.error_code) == (TurnState.FAILED, "provider_keeps_state")
            assert (shop.steps(), len(server.requests)) == ([], 1)
            return
        talk(shop, "Sure?")
    assert [sent(request)[0] for request in server.requests] == [None] * 3
    assert len(server.requests[1].body["input"]) == 3
    assert loose_ends(read("responses", server.requests[2].body)) == []
    assert kept(shop) == []


# --- in the web admin -----------------------------------------------------------------------------

FORM = {
    "name": "Big",
    "api": "responses",
    "base_url": "https://models.example.com/v1",
    "model": "big-1",
    "input_price": "0",
    "output_price": "0",
    "currency": "EUR",
    "max_output_tokens": "500",
    "timeout_seconds": "30",
}


def test_the_page_says_what_leaves_the_tenants_control(browser_of, cast):
    alice = browser_of("alice")
    assert "erase here stays there" in text_of(alice.get("agents:add-endpoint"))
    assert alice.post("agents:add-endpoint", **FORM).status_code == 302
    with cast.acme.scope():
        row = ModelEndpoint.objects.get()
    assert (row.history, row.stray_id) == ("own", "raise")
    assert "stays on its servers." not in text_of(alice.get("agents:endpoint", row.id))

    alice.post("agents:endpoint", row.id, **FORM, history="service")

    assert "stays on its servers." in text_of(alice.get("agents:endpoint", row.id))
    assert "The provider keeps the conversations" in text_of(alice.get("agents:endpoints"))
    with cast.acme.scope():
        entry = AuditEntry.objects.filter(action="endpoint.changed").get()
        assert (entry.detail["fields"], entry.detail["history"]) == (["history"], "service")


def test_only_responses_can_do_it(browser_of):
    form = {**FORM, "api": "chat_completions", "history": "service"}
    answer = browser_of("alice").post("agents:add-endpoint", **form)
    assert answer.status_code == 422
    assert "Only the Responses protocol" in text_of(answer)
