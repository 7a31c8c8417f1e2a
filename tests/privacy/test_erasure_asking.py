"""Who may ask for an erasure, how it is confirmed, and when a second person must agree."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from conversations.models import Customer, ErasureRequest, LegalHold
from conversations.services import erasure_requests as services
from conversations.services import erasure_states
from conversations.services.erasure_mail import send_link
from conversations.services.erasure_states import MAIL, month_after
from conversations.services.holds import place
from tenants.due import Work
from tenants.errors import DeskError
from tenants.models import AuditEntry, DueWork
from tests.privacy.erasing import ask, carry_on, identity, no_wait, state_of
from tests.support.console import Browser, start, text_of
from tests.support.widget import Widget

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1/privacy/erasures"


def test_a_proven_person_asks_in_the_chat_and_is_erased(cast):
    widget = Widget(cast.acme)
    widget.start(identity=identity(cast.acme, subject="z-1", email="zoe@example.org"))
    widget.say("I want to be forgotten.")

    answer = widget.post("privacy-requests", {"kind": "erasure"})

    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    with cast.acme.scope():
        request = ErasureRequest.objects.get(pk=answer.json()["id"])
    assert carry_on(cast.acme, request).state == "certified"


def test_an_unproven_person_confirms_by_a_link_that_works_once(cast):
    widget = Widget(cast.acme)
    widget.start()
    widget.say("Forget me")
    with cast.acme.scope():
        customer = Customer.objects.get(email="", name="")
        customer.email, customer.locale = "zoe@example.org", "de"
        customer.save(update_fields=["email", "locale"])
    answer = widget.post("privacy-requests", {"kind": "erasure"})
    assert (answer.status_code, answer.json()["state"]) == (202, "requested")
    with cast.acme.scope():
        request = ErasureRequest.objects.get()

    send_link(Work(cast.acme.tenant.id, MAIL, request.id))

    (letter,) = mail.outbox
    assert letter.to == ["zoe@example.org"]
    assert "Forget me" not in letter.body
    assert "löschen" in letter.subject or "gelöscht" in letter.subject
    (path,) = re.findall(r"/privacy/confirm/\S+", str(letter.body))
    page = Client().get(path)
    assert 'lang="de"' in text_of(page)
    assert state_of(cast.acme, request).state == "requested", "opening it changes nothing"
    assert Client().post(path).status_code == 200
    assert carry_on(cast.acme, request).state == "certified"
    assert Client().get(path).status_code == 404
    assert Client().get(path.replace("er_", "inv_")).status_code == 404


def test_a_link_that_nobody_uses_ends_the_request(cast):
    with cast.acme.scope():
        request = services.ask_by_mail(cast.carol, by=cast.acme.petra.member, reason="By letter")
    carry_on(cast.acme, request)

    ended = state_of(cast.acme, request)
    assert (ended.state, ended.ground, ended.subject_id) == ("refused", "not_confirmed", None)


def test_the_same_address_twice_is_no_proof_of_who_is_meant(cast):
    with cast.acme.scope():
        Customer.objects.create(name="Carol too", email="CAROL@example.org")

    answer = _post(cast.acme.petra, cast.carol)

    assert (answer.status_code, answer.json()["code"]) == (409, "two_customers_could_be_meant")
    with cast.acme.scope():
        assert not ErasureRequest.objects.exists()


def test_the_api_asks_shows_and_is_for_the_privacy_desk_only(cast):
    no_wait(cast.acme)
    with cast.acme.scope():
        start(cast.carol)
    assert _post(cast.acme.alice, cast.carol).status_code == 403
    assert _post(cast.globex.mallory, cast.carol).status_code == 403
    assert _post(cast.acme.petra, cast.carol, confirm="yes").json()["errors"]["confirm"]
    assert _post(cast.acme.petra, uuid4()).status_code == 404

    answer = _post(cast.acme.petra, cast.carol)

    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    assert _post(cast.acme.petra, cast.carol).json()["id"] == answer.json()["id"]
    with cast.acme.scope():
        request = ErasureRequest.objects.get()
    carry_on(cast.acme, request)
    petra = cast.acme.petra.client()
    shown = petra.get(f"{API}/{request.id}").json()
    assert (shown["state"], shown["customer"]) == ("certified", None)
    assert shown["progress"]["done"] == shown["progress"]["total"] > 2
    assert [row["id"] for row in petra.get(API).json()["results"]] == [str(request.id)]
    assert petra.get(f"/api/v1/privacy/certificates/{shown['certificate']}").status_code == 200
    with cast.acme.scope():
        acts = [entry.action for entry in AuditEntry.objects.filter(target_kind="erasurerequest")]
        assert acts.count("erasure.moved") == 5
        assert str(cast.carol.id) not in str(list(AuditEntry.objects.values()))


def test_the_tenants_waiting_period_passes_before_anything_is_hidden(cast):
    with cast.acme.scope():
        member = cast.acme.petra.member
        request = services.ask_by_member(cast.carol, by=member, reason="x", confirm="ERASE")
        assert (request.state, request.hidden_at) == ("holding_period", None)
        row = DueWork.objects.get(kind="erasure", ref_id=request.id)
    assert timedelta(hours=71) < row.due_at - timezone.now() <= timedelta(hours=72)
    assert carry_on(cast.acme, request).state == "certified"


def test_the_twentieth_of_a_day_wants_a_second_person(cast, monkeypatch):
    monkeypatch.setattr(erasure_states, "SUBJECTS_A_DAY", 2)
    with cast.acme.scope():
        people = [Customer.objects.create(email=f"n{n}@example.org") for n in range(3)]
    states = [ask(cast.acme, person).state for person in people]
    assert states == ["running", "running", "awaiting_approval"]
    with cast.acme.scope():
        third = ErasureRequest.objects.get(state="awaiting_approval")
    path = f"{API}/{third.id}/approve"
    own = cast.acme.petra.client().post(path, {}, content_type="application/json")
    assert (own.status_code, own.json()["code"]) == (403, "second_person_needed")
    agreed = cast.acme.olga.client().post(path, {}, content_type="application/json")
    assert agreed.json()["state"] == "running"


def test_a_hold_on_the_person_parks_the_request_and_its_end_frees_it(cast):
    with cast.acme.scope():
        start(cast.carol)
        hold = place(cast.carol, reason="A claim is open.", by=cast.acme.olga.member)
    request = ask(cast.acme, cast.carol)
    assert request.state == "held"
    assert carry_on(cast.acme, request).state == "held"
    with cast.acme.scope():
        assert Customer.objects.filter(pk=cast.carol.pk).exists(), "nothing is hidden meanwhile"
        LegalHold.objects.filter(pk=hold.pk).update(
            released_at=timezone.now() - timedelta(days=8),
            ends_at=timezone.now() - timedelta(days=1),
        )
    assert carry_on(cast.acme, request).state == "certified"


def test_a_hold_on_one_conversation_keeps_that_one_and_says_so(cast):
    with cast.acme.scope():
        kept, gone = start(cast.carol), start(cast.carol)
        hold = place(kept, reason="A claim is open.", by=cast.acme.olga.member)
    request = carry_on(cast.acme, ask(cast.acme, cast.carol))
    assert request.state == "partially_held"
    bob = cast.acme.bob.client()
    assert bob.get(f"/api/v1/conversations/{kept.id}").status_code == 200
    assert bob.get(f"/api/v1/conversations/{gone.id}").status_code == 404
    with cast.acme.scope():
        LegalHold.objects.filter(pk=hold.pk).update(
            released_at=timezone.now() - timedelta(days=8),
            ends_at=timezone.now() - timedelta(days=1),
        )
    ended = carry_on(cast.acme, request)
    assert ended.state == "certified", str(ended.evidence)


def test_day_ten_raises_an_alarm_once(cast):
    with cast.acme.scope():
        request = services.ask_by_mail(cast.carol, by=cast.acme.petra.member, reason="By letter")
        alarm = DueWork.objects.get(kind="erasure_alarm", ref_id=request.id)
        assert alarm.due_at - request.created_at == timedelta(days=10)
        assert services.raise_alarm(request.id)
        assert not services.raise_alarm(request.id)
        assert AuditEntry.objects.filter(action="erasure.late").count() == 1
    late = cast.acme.petra.client().get(f"{API}/{request.id}").json()
    assert late["late"] is True


@pytest.mark.parametrize(
    ("start_", "due"),
    [("2026-01-31", "2026-02-28"), ("2028-01-30", "2028-02-29"), ("2026-12-05", "2027-01-05")],
)
def test_a_month_is_a_calendar_month(start_, due):
    with time_machine.travel(f"{start_}T12:00:00Z", tick=False):
        assert month_after(timezone.now()).date().isoformat() == due


def test_a_refusal_forgets_the_person_and_cannot_come_late(cast):
    with cast.acme.scope():
        request = services.ask_by_mail(cast.carol, by=cast.acme.petra.member, reason="By letter")
        services.refuse(request, by=cast.acme.petra.member, ground="not_the_person")
        assert ErasureRequest.objects.get().subject_id is None
        with pytest.raises(DeskError):
            services.confirm(request)


def test_the_page_wants_the_word_and_the_password(cast):
    no_wait(cast.acme)
    with cast.acme.scope():
        start(cast.carol)
    petra = Browser(cast.acme, cast.acme.petra)
    page = text_of(petra.get("conversations:erase-customer", cast.carol.id))
    assert "carol@example.org" in page
    assert "Messages: 1" in page
    given = {"reason": "By phone", "verification": "verified", "confirm": "ERASE"}

    wrong = petra.post("conversations:erase-customer", cast.carol.id, password="guess", **given)
    assert wrong.status_code == 422
    right = petra.post(
        "conversations:erase-customer", cast.carol.id, password="correct horse battery", **given
    )

    assert right.status_code == 302
    with cast.acme.scope():
        request = ErasureRequest.objects.get()
    carry_on(cast.acme, request)
    shown = text_of(petra.get("conversations:privacy-request", request.id))
    assert "Certified" in shown
    assert "Open the certificate" in shown
    assert "Certified" in text_of(petra.get("conversations:privacy-requests"))


def _post(person, customer, **changes):
    body = {
        "customer": str(getattr(customer, "id", customer)),
        "reason": "Asked by phone.",
        "confirm": "ERASE",
    }
    return person.client().post(API, body | changes, content_type="application/json")
