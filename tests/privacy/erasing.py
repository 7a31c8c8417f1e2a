"""Carries an erasure out in a test, as the bulk worker would."""

import os
import time
from uuid import uuid4

import jwt

from conversations.models import Customer, ErasureRequest
from conversations.services import erasing
from conversations.services.erasure_requests import ask_by_member
from conversations.services.erasure_states import ERASURE
from devstack.pytest_services import DATABASE
from devstack.testdb import on_database
from tenants.due import Work
from tests.support.cast import Company


def superuser_url() -> str:
    return on_database(os.environ["SUPERUSER_DATABASE_URL"], DATABASE)


def no_wait(company: Company) -> None:
    company.tenant.erasure_wait_hours = 0
    company.tenant.save(update_fields=["erasure_wait_hours"])


def ask(company: Company, customer: Customer, *, by: str = "petra") -> ErasureRequest:
    """A privacy officer has verified who asks."""
    no_wait(company)
    member = company.people[by].member
    with company.scope():
        return ask_by_member(customer, by=member, reason="Asked by phone.", confirm="ERASE")


def carry_on(company: Company, request: ErasureRequest, *, seconds: float = 60) -> ErasureRequest:
    """One call of the handler."""
    erasing.step(Work(company.tenant.id, ERASURE, request.id), seconds=seconds)
    return state_of(company, request)


def state_of(company: Company, request: ErasureRequest) -> ErasureRequest:
    with company.scope():
        return ErasureRequest.objects.get(pk=request.pk)


def erase(company: Company, customer: Customer) -> ErasureRequest:
    """From the request to its end."""
    return carry_on(company, ask(company, customer))


def identity(company: Company, *, subject: str, **claims: str) -> str:
    """The proof that the tenant's own server signs."""
    now = int(time.time())
    payload = {"sub": subject, "iat": now, "exp": now + 600, "jti": uuid4().hex, **claims}
    return jwt.encode(payload, company.identity_secret, algorithm="HS256")
