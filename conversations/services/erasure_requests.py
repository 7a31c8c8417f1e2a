"""Who asks for an erasure, how it is confirmed, approved, refused, tried again."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from conversations.models import (
    Customer,
    ErasureRequest,
    ErasureState,
    WidgetToken,
)
from conversations.selectors.holds import holds_over
from conversations.services.erasure_states import (
    ALARM,
    ERASURE,
    HOLD_SECONDS,
    MAIL,
    REMINDER,
    WrongState,
    go_on,
    locked,
    month_after,
    move,
    park_or_run,
    start_clock,
)
from conversations.services.purging import counts_for
from tenants import due
from tenants.errors import Conflict, Forbidden, InvalidInput
from tenants.models import Member
from tenants.services import audit
from tenants.text import clean_text

CONFIRMATION = "ERASE"
LINK_LASTS = timedelta(days=7)
_Source, _Ground = ErasureRequest.Source, ErasureRequest.Ground


class TwoCouldBeMeant(Conflict):
    """An address is no proof of who is who."""

    code = "two_customers_could_be_meant"
    title = "Two customers could be meant"
    detail = (
        "More than one customer has this address. Merge them, or correct one of the addresses,"
        " and then ask again."
    )


class SecondPersonNeeded(Forbidden):
    """Whoever asked cannot also agree."""

    code = "second_person_needed"
    detail = "Somebody else of your team with the privacy right must agree to this request."


@transaction.atomic
def ask_by_customer(customer: Customer, *, token: WidgetToken) -> ErasureRequest:
    """The person asks in the chat; proven people start at once, others confirm by e-mail.

    Raises `TwoCouldBeMeant` when the mailed link could reach somebody else's data.
    """
    proven = token.verified or customer.email_verified
    source = _Source.WIDGET if proven else _Source.MAIL
    return _asked(customer, source=source, proven=proven, by=None, reason="")


@transaction.atomic
def ask_by_member(customer: Customer, *, by: Member, reason: str, confirm: str) -> ErasureRequest:
    """A member has verified who asks; `confirm` is the typed word. The same again is one request.

    Raises `TwoCouldBeMeant` when the customer's address is another customer's too.
    """
    if confirm != CONFIRMATION:
        raise InvalidInput(errors={"confirm": [f"Type {CONFIRMATION} to confirm."]})
    refuse_to_guess(customer)
    return _asked(customer, source=_Source.MEMBER, proven=True, by=by, reason=clean_text(reason))


@transaction.atomic
def ask_by_mail(customer: Customer, *, by: Member, reason: str) -> ErasureRequest:
    """A member lets the person confirm by a link that works once."""
    return _asked(customer, source=_Source.MAIL, proven=False, by=by, reason=clean_text(reason))


@transaction.atomic
def ask_after_restore(customer: Customer) -> ErasureRequest:
    """Somebody who had been erased came back with a backup: the same is done again."""
    return _asked(customer, source=_Source.RESTORE, proven=True, by=None, reason="")


def preview(customer: Customer) -> dict[str, int]:
    """How much lies in each store, without the empty ones. Nothing of what it says."""
    return {name: count for name, count in counts_for(customer_id=customer.id).items() if count}


def refuse_to_guess(customer: Customer) -> None:
    """One address of two customers: nobody can tell which of them asks."""
    if customer.email:
        same = Customer.objects.filter(email__iexact=customer.email).exclude(pk=customer.pk)
        if same.exists():
            raise TwoCouldBeMeant


@transaction.atomic
def confirm(request: ErasureRequest) -> ErasureRequest:
    """The mailed link was used: it is the person. It counts once."""
    row = locked(request.id)
    if row.state != ErasureState.REQUESTED:
        raise WrongState
    _verified(row)
    return row


@transaction.atomic
def approve(request: ErasureRequest, *, by: Member) -> ErasureRequest:
    """A second person agrees; raises `SecondPersonNeeded` for the one who asked."""
    row = locked(request.id)
    if row.state != ErasureState.AWAITING_APPROVAL:
        raise WrongState
    if row.asked_by_id == by.id:
        raise SecondPersonNeeded
    row.approved_by = by
    row.save(update_fields=["approved_by"])
    audit.record("erasure.approved", by=by, target=row)
    go_on(row)
    return row


@transaction.atomic
def refuse(request: ErasureRequest, *, by: Member | None, ground: str) -> ErasureRequest:
    """It is not carried out, for a ground that the law knows; only before anything is erased."""
    row = locked(request.id)
    move(
        row,
        ErasureState.REFUSED,
        ground=_Ground(ground),
        subject_id=None,
        reason="",
        token_hash=None,
        sealed=None,
    )
    for kind in (ERASURE, ALARM, MAIL, REMINDER):
        due.cancel(kind, row.id)
    who = by or audit.job("erasure")
    audit.record("erasure.refused", by=who, target=row, detail={"ground": str(ground)})
    return row


@transaction.atomic
def run_again(request: ErasureRequest, *, by: Member) -> ErasureRequest:
    """After somebody has looked at what went wrong."""
    row = locked(request.id)
    if row.state not in {ErasureState.FAILED, ErasureState.PARTIALLY_HELD}:
        raise WrongState
    audit.record("erasure.run_again", by=by, target=row)
    _run_anew(row)
    return row


def resume_after_hold(row: ErasureRequest) -> bool:
    """The locked request goes on when no hold is left over what is left; looks again later else."""
    assert row.subject_id is not None  # noqa: S101 - the database keeps it until the end
    if holds_over(customer=row.subject_id):
        due.schedule(ERASURE, row.id, after=HOLD_SECONDS)
        return False
    _run_anew(row)
    return True


def _run_anew(row: ErasureRequest) -> None:
    move(row, ErasureState.RUNNING, failure="", scans=0, hidden_at=None)
    due.schedule(ERASURE, row.id)


@transaction.atomic
def raise_alarm(request_id: UUID) -> bool:
    """Ten days and no end: says so on the record; returns whether it is news."""
    row = locked(request_id)
    if not row.is_open or row.alarmed_at is not None:
        return False
    row.alarmed_at = timezone.now()
    row.save(update_fields=["alarmed_at"])
    audit.record("erasure.late", by=audit.job("erasure"), target=row, detail={"state": row.state})
    return True


@transaction.atomic
def wait_over(request_id: UUID) -> ErasureRequest:
    """The waiting period or the hold has ended, or the link was never used."""
    row = locked(request_id)
    if row.state == ErasureState.REQUESTED:
        return refuse(row, by=None, ground=_Ground.NOT_CONFIRMED)
    if row.state in {ErasureState.HOLDING_PERIOD, ErasureState.HELD}:
        park_or_run(row)
    return row


def _asked(
    customer: Customer, *, source: str, proven: bool, by: Member | None, reason: str
) -> ErasureRequest:
    # The customer's lock makes two clicks one request, and waits for posts that are under way.
    Customer.stored.select_for_update().get(pk=customer.pk)
    subject = audit.pseudonym(customer.id)
    open_one = ErasureRequest.objects.filter(subject=subject).exclude(
        state__in=[ErasureState.CERTIFIED, ErasureState.REFUSED]
    )
    if found := open_one.first():
        return _same_again(found, proven=proven)
    if not proven:
        _may_be_mailed(customer)
    request = _opened(customer, subject=subject, source=source, by=by, reason=reason)
    who = by or audit.customer(customer.id)
    audit.record("erasure.asked", by=who, target=request, detail={"source": str(source)})
    if proven:
        _verified(request)
    else:
        due.schedule(MAIL, request.id)
        due.schedule(ERASURE, request.id, after=LINK_LASTS.total_seconds())
    return request


def _opened(
    customer: Customer, *, subject: UUID, source: str, by: Member | None, reason: str
) -> ErasureRequest:
    request = ErasureRequest.objects.create(
        source=source,
        state=ErasureState.REQUESTED,
        subject_id=customer.id,
        subject=subject,
        reason=reason[:300],
        asked_by=by,
        due_at=month_after(timezone.now()),
    )
    request.refresh_from_db(fields=["created_at"])
    start_clock(request)
    return request


def _same_again(found: ErasureRequest, *, proven: bool) -> ErasureRequest:
    """Who can prove it now does not have to wait for the letter any more."""
    row = locked(found.id)
    if proven and row.state == ErasureState.REQUESTED:
        _verified(row)
    return row


def _verified(request: ErasureRequest) -> None:
    for kind in (MAIL, ERASURE):
        due.cancel(kind, request.id)
    move(request, ErasureState.VERIFIED, verified_at=Now(), token_hash=None, token_expires_at=None)
    go_on(request)


def _may_be_mailed(customer: Customer) -> None:
    if not customer.email:
        raise InvalidInput(
            "This customer has no address to which a link could be sent. Verify who asks in"
            " another way."
        )
    refuse_to_guess(customer)
