"""The rolling summary stands for what is not shown any more; the rows stay, and no line is lost."""

import json
from typing import Any

import pytest
from django.db import connection

from agents.models import ModelCall, Turn
from agents.runtime.mapping import is_summary
from agents.runtime.oneshot import ask
from agents.runtime.rebuild import Seen, rebuild
from agents.runtime.runner import run_turn
from agents.runtime.summary import after_turn
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.profiles import ProfileSettings, current_profile, publish_profile
from conversations.models import Message, Summary
from conversations.services import edits
from conversations.transcript import NewRow, append
from tenants.models import Member, Role, User
from tenants.scoping import tenant_scope
from tests.support.elsewhere import answered_elsewhere
from tests.support.scripted import Say, ScriptedChatClient
from tests.support.talks import Recorder, claim, ended, make_talk, make_tenant, post

pytestmark = pytest.mark.django_db(transaction=True)


def desk(api="chat_completions", **settings):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        set_endpoint(EndpointSettings(api=api, model="m"), trusted=True)
        profile = current_profile()
        assert profile
        values: dict[str, Any] = {"window": 8, "sums_up": "after"} | settings
        publish_profile(endpoint=profile.endpoint, settings=ProfileSettings(**values))
    return tenant


def long_talk(tenant, rounds=6):
    talk = make_talk(tenant)
    for number in range(1, rounds + 1):
        post(talk, f"question {number}")
        with tenant_scope(tenant.id):
            seq = talk.__class__.objects.get(pk=talk.pk).customer_seq
            said = NewRow("agent", f"answer {number}", turn_id=talk.id, saw_seq=seq)
            assert append(talk.id, [said], by="agent")
    return talk


def summed_up(talk, *script):
    client = ScriptedChatClient(*(script or [Say("They asked and were answered.")]))
    more = ask(after_turn, talk.id, tenant_id=talk.tenant_id, client=client.opened)
    with tenant_scope(talk.tenant_id):
        talk.refresh_from_db()
    return client.requests, more


def answer(talk, *script, desk=None):
    claimed, client = claim(talk), ScriptedChatClient(*(script or [Say("Yes.")]))
    calls = []
    run_turn(claimed, calls=calls, client=client.opened, desk=desk or Recorder().desk)
    ended(claimed)
    with tenant_scope(talk.tenant_id):
        talk.refresh_from_db()
    return client.requests, calls, claimed


def shown(request):
    return [message.text for message in request.messages]


def stored(talk):
    with tenant_scope(talk.tenant_id):
        return list(Message.objects.filter(conversation=talk).order_by("seq").values())


def test_older_lines_are_summed_up_once_and_the_next_turn_reads_that_instead():
    talk = long_talk(desk())
    before = stored(talk)
    (request,), more = summed_up(talk)
    assert not more
    assert "customer: question 1\nagent: answer 1\n" in request.messages[-1].text
    assert "question 5" not in request.messages[-1].text
    assert (talk.summary, talk.summary_seq) == ("They asked and were answered.", 8)
    assert summed_up(talk)[0] == []
    assert stored(talk) == before
    post(talk, "question 7")
    (request,), _, _ = answer(talk)
    first, *rest = shown(request)
    assert first.endswith("They asked and were answered.")
    assert rest == ["question 5", "answer 5", "question 6", "answer 6", "question 7"]


def test_it_rolls_on_and_every_line_is_told_or_shown():
    talk = long_talk(desk(), rounds=3)
    seen = ""
    for number in range(4, 20):
        post(talk, f"question {number}.")
        (request,), _, _ = answer(talk, Say(f"answer {number}."))
        texts = shown(request)
        for line in range(4, number + 1):
            assert f"question {line}." in seen + "".join(texts)
        requests, _ = summed_up(talk, Say(f"summary {number}"))
        for each in requests:
            seen += each.messages[-1].text
            assert talk.summary == f"summary {number}"
    with tenant_scope(talk.tenant_id):
        assert 2 < Summary.objects.count() < 10
        calls = ModelCall.objects.values_list("purpose", "conversation_id")
        assert set(calls) == {("summary", talk.id)}


def test_a_short_talk_or_a_switched_off_summary_asks_nobody():
    assert summed_up(long_talk(desk(), rounds=3))[0] == []
    off = make_tenant("globex", sums_up="off", window=8)
    assert summed_up(long_talk(off))[0] == []


def test_a_budget_of_tokens_alone_makes_a_talk_long():
    talk = long_talk(desk(window=100, token_budget=500), rounds=2)
    assert summed_up(talk)[0] == []
    post(talk, "x" * 1_900)
    post(talk, "and?")
    assert len(summed_up(talk)[0]) == 1
    assert talk.summary_seq == 4
    (request,), _, _ = answer(talk)
    assert shown(request)[1:] == ["x" * 1_900, "and?"]


def test_before_an_answer_that_would_miss_something():
    talk = long_talk(desk(sums_up="before"))
    assert summed_up(talk)[0] == []
    post(talk, "question 7")
    requests, calls, _ = answer(talk, Say("What was before."), Say("Here."))
    assert [call.purpose for call in calls] == ["summary", "answer"]
    first, *rest = shown(requests[1])
    assert first.endswith("What was before.")
    assert rest[-1] == "question 7"
    assert talk.summary == "What was before."
    post(talk, "question 8")
    requests, calls, _ = answer(talk)
    assert [call.purpose for call in calls] == ["answer"]


def test_an_answer_does_not_wait_for_a_summary_that_fails():
    talk = long_talk(desk(sums_up="before"))
    post(talk, "question 7")
    recorder = Recorder()
    requests, calls, _ = answer(talk, Say(fail=OSError("cut")), Say("Here."), desk=recorder.desk)
    assert [(call.purpose, call.outcome) for call in calls] == [
        ("summary", "error"),
        ("answer", "ok"),
    ]
    assert recorder.answers[0].rows[-1].text == "Here."
    assert not any(is_summary(message) for message in requests[1].messages)


def test_a_change_of_a_summed_up_line_removes_every_summary_and_it_is_made_anew():
    tenant = desk()
    talk = long_talk(tenant)
    summed_up(talk, Say("They want question 1."))
    with tenant_scope(tenant.id):
        user = User.objects.create_user("sam@example.org", name="Sam")
        sam = Member.objects.create(user=user, role=Role.SUPPORT_AGENT)
        last = Message.objects.filter(conversation=talk).order_by("-seq")[0]
        edits.edit_message(last, by=sam, text="answer six")
        talk.refresh_from_db()
        assert talk.summary
        line = Message.objects.get(conversation=talk, seq=1)
        edits.redact_words(line, by=sam, words="question 1")
        talk.refresh_from_db()
        assert (talk.summary, talk.summary_seq) == ("", 0)
        assert not Summary.objects.exists()
    (request,), _ = summed_up(talk, Say("They want something."))
    assert "question 1" not in request.messages[-1].text
    assert talk.summary == "They want something."


def test_what_the_model_saw_names_the_summary_and_copies_no_word_of_it():
    talk = long_talk(desk())
    summed_up(talk, Say("An unmistakable summary."))
    post(talk, "question 7")
    (request,), _, claimed = answer(talk)
    with tenant_scope(talk.tenant_id):
        turn = Turn.objects.get(pk=claimed.turn_id)
        assert "unmistakable" not in json.dumps(turn.seen)
    seen = opened(turn)
    assert seen.exact
    assert [message.text for message in seen.messages] == shown(request)
    for number in (8, 9, 10):
        post(talk, f"question {number}")
        answer(talk)
    summed_up(talk, Say("A later one."))
    with tenant_scope(talk.tenant_id):
        assert talk.summary == "A later one."
        assert opened(turn).exact
        Summary.objects.all().delete()
        assert not opened(turn).exact


def opened(turn) -> Seen:
    with tenant_scope(turn.tenant_id):
        seen = rebuild(turn)
    assert seen
    return seen


def test_another_process_goes_on_with_the_summary():
    talk = long_talk(desk())
    summed_up(talk, Say("What was before."))
    post(talk, "question 7")
    first, *rest = answered_elsewhere(claim(talk))
    assert first[0] == "user"
    assert first[1].endswith("What was before.")
    assert [text for _, text in rest][-1] == "question 7"
    assert len(rest) == 5


def test_without_a_language_model_the_customers_lines_are_quoted():
    talk = long_talk(desk(api="offline"))
    assert summed_up(talk, Say("never"))[0] == []
    assert talk.summary.splitlines() == [f"– question {n}" for n in (1, 2, 3, 4)]


def test_a_very_long_talk_takes_several_calls():
    talk = long_talk(desk(), rounds=1)
    with tenant_scope(talk.tenant_id):
        for _ in range(60):
            post(talk, "word " * 400)
            said = NewRow("agent", "ok", turn_id=talk.id, saw_seq=None)
            assert append(talk.id, [said], by="agent")
    rounds = []
    more = True
    while more:
        requests, more = summed_up(talk, Say(f"part {len(rounds)}"))
        rounds += requests
    assert len(rounds) > 1
    assert all(len(request.messages[-1].text) < 50_000 for request in rounds)
    assert "The summary so far:\npart 0" in rounds[1].messages[-1].text


def test_a_short_talk_looks_for_no_summary():
    talk = make_talk(desk(window=40), "hello")
    with connection.execute_wrapper(_refuse_summaries):
        (request,), _, _ = answer(talk)
    assert shown(request) == ["hello"]


def _refuse_summaries(execute, sql, params, many, context):
    assert "conversations_summary" not in sql
    return execute(sql, params, many, context)
