"""The letter with a link that works once: whoever opens it has the mailbox, so it is the person."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models.functions import Now

from conversations.letters import letter_for
from conversations.models import Customer, ErasureRequest, ErasureState
from conversations.services.erasure_requests import LINK_LASTS
from conversations.services.erasure_states import MAIL, locked
from conversations.services.stores_outside import TENANT_HEADER
from tenants import crypto, due
from tenants.due import Work
from tenants.errors import NotFound
from tenants.models import Tenant

_PAUSE_SECONDS = 120.0


def send_link(work: Work) -> None:
    """A fresh link with each try, so that no plain link is ever stored. No word of the person's."""
    with work.scope():
        customer, token = _fresh_link(work)
        if customer is None:
            due.cancel(MAIL, work.ref_id)
            return
        tenant = Tenant.objects.get(pk=work.tenant_id)
    subject, text = letter_for(
        customer.locale or tenant.locale,
        company=tenant.name,
        link=f"{settings.PUBLIC_URL}/privacy/confirm/{token}/",
    )
    headers = {TENANT_HEADER: str(tenant.id)}
    EmailMessage(subject, text, to=[customer.email], headers=headers).send()
    with work.scope():
        due.cancel(MAIL, work.ref_id)


def _fresh_link(work: Work) -> tuple[Customer | None, str]:
    """To whom, and the link; nobody when the request has moved on."""
    try:
        request = locked(work.ref_id)
    except NotFound:
        return None, ""
    if request.state != ErasureState.REQUESTED or request.subject_id is None:
        return None, ""
    token = crypto.new_token(crypto.ERASURE_LINK, work.tenant_id)
    ErasureRequest.objects.filter(pk=request.pk).update(
        token_hash=crypto.hash_token(token), token_expires_at=Now() + LINK_LASTS
    )
    # If the mail server does not take it, it is tried again.
    due.schedule(MAIL, request.id, after=_PAUSE_SECONDS)
    return Customer.objects.filter(pk=request.subject_id).first(), token
