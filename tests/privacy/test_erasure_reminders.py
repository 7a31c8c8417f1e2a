"""Owners and officers get a letter when a request's day is near and one when it is over."""

from datetime import timedelta
from smtplib import SMTPException

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

import conversations.tasks  # noqa: F401 - handlers of what is due
from conversations.models import ErasureRequest
from conversations.services import erasure_requests as services
from conversations.services.erasure_states import NEAR, REMINDER
from tenants import due
from tenants.models import AuditEntry, DueWork, Member
from tests.privacy.erasing import carry_on

pytestmark = pytest.mark.django_db(transaction=True)
LATER = timedelta(days=1)


@pytest.fixture
def request_of_carol(cast):
    """It waits for a link that nobody uses: her address is in it, and a member's reason."""
    with cast.acme.scope():
        return services.ask_by_mail(
            cast.carol, by=cast.acme.petra.member, reason="Carol wrote a letter"
        )


def ring(company, request, *, at=None, times=3):
    """The sweep rings again and again for what is due, at that moment."""
    for _ in range(times):
        with company.scope():
            rows = DueWork.objects.filter(kind=REMINDER, ref_id=request.id)
            rows.filter(due_at__lte=at or timezone.now()).update(
                due_at=timezone.now() - timedelta(seconds=1)
            )
        with time_machine.travel(at or timezone.now(), tick=True):
            due.run(company.tenant.id, REMINDER, request.id)


def test_a_week_before_and_when_it_is_over_once_each(cast, request_of_carol):
    row = request_of_carol
    with cast.acme.scope():
        at = DueWork.objects.get(kind=REMINDER).due_at
    assert at == row.due_at - NEAR
    ring(cast.acme, row, at=row.due_at - NEAR - LATER)
    assert mail.outbox == []
    ring(cast.acme, row, at=row.due_at - NEAR + LATER)
    (near,) = mail.outbox
    assert sorted(near.to) == ["olga@acme.example.com", "petra@acme.example.com"]
    assert str(row.due_at.date()) in near.subject
    assert f"/privacy/requests/{row.id}/" in str(near.body)
    ring(cast.acme, row, at=row.due_at - LATER)
    assert len(mail.outbox) == 1
    ring(cast.acme, row, at=row.due_at + LATER)
    _, late = mail.outbox
    assert "overdue" in late.subject
    with cast.acme.scope():
        assert not DueWork.objects.filter(kind=REMINDER).exists()
        said = AuditEntry.objects.filter(action__in=["erasure.reminded", "erasure.overdue"])
        assert [entry.detail for entry in said] == [{"letters": 2}] * 2
    ring(cast.acme, row, at=row.due_at + LATER)
    assert len(mail.outbox) == 2


def test_no_word_of_whom_it_is_about_in_any_language(cast, request_of_carol):
    row = request_of_carol
    words = [cast.carol.name, cast.carol.email, str(cast.carol.id), "wrote a letter"]
    for locale in ("en", "es", "de", "fr", "pt", "ar", "xx"):
        with cast.acme.scope():
            ErasureRequest.objects.update(reminded_at=None, overdue_at=None)
            type(cast.acme.tenant).objects.filter(pk=cast.acme.tenant.pk).update(locale=locale)
            due.schedule(REMINDER, row.id, at=row.due_at)
        ring(cast.acme, row, at=row.due_at + LATER)
        letter = mail.outbox[-1]
        text = f"{letter.subject} {letter.body}"
        assert not [word for word in words if word in text]
        assert "{" not in text
    assert len(mail.outbox) == 7
    assert len({letter.subject for letter in mail.outbox}) == 6


def test_a_request_that_has_ended_is_no_news(cast, request_of_carol):
    with cast.acme.scope():
        services.confirm(request_of_carol)
    assert carry_on(cast.acme, request_of_carol).state == "certified"
    with cast.acme.scope():
        assert not DueWork.objects.filter(kind=REMINDER).exists()
        due.schedule(REMINDER, request_of_carol.id, after=-5)
    due.run(cast.acme.tenant.id, REMINDER, request_of_carol.id)
    assert not [letter for letter in mail.outbox if "due" in letter.subject]
    with cast.acme.scope():
        assert not DueWork.objects.filter(kind=REMINDER).exists()


def test_a_mail_server_that_fails_is_tried_again(cast, request_of_carol, settings):
    row = request_of_carol
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises((OSError, SMTPException), match=r"refused|connect"):
        ring(cast.acme, row, at=row.due_at + LATER, times=1)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with cast.acme.scope():
        assert ErasureRequest.objects.get(pk=row.pk).overdue_at is None
    ring(cast.acme, row, at=row.due_at + LATER)
    assert len(mail.outbox) == 1


def test_only_those_who_keep_the_desk_and_are_still_there(cast, request_of_carol):
    row = request_of_carol
    with cast.acme.scope():
        Member.objects.filter(pk=cast.acme.petra.member.pk).update(active=False)
    ring(cast.acme, row, at=row.due_at + LATER)
    (letter,) = mail.outbox
    assert letter.to == ["olga@acme.example.com"]
