"""Signing in: the same answer and the same work for every reason why it fails."""

from django.contrib.auth import authenticate
from django.contrib.sessions.models import Session
from django.utils import timezone

from tenants.errors import Unauthenticated
from tenants.models import Actor, User
from tenants.rates import check_rate, forget_rate
from tenants.services import audit

TRIES, SECONDS = 10, 15 * 60
_SESSIONS = 1000


class WrongSignIn(Unauthenticated):
    """Unknown address, wrong password, closed account: nobody learns which."""

    code = "wrong_sign_in"
    detail = "The address or the password is not right. Check both and try again."


def sign_in(*, email: str, password: str, address: str) -> User:
    """The user, for `login()`; raises `WrongSignIn`, or `TooManyRequests` after ten tries.

    Django hashes a password for an unknown address too, so that time tells nothing either.
    """
    who = f"{address} {email.casefold()}"
    check_rate("sign_in", who, limit=TRIES, seconds=SECONDS)
    user = authenticate(username=email, password=password)
    if not isinstance(user, User):
        audit.record_for_platform("sign_in.failed", by=None, kind=Actor.SYSTEM)
        raise WrongSignIn
    forget_rate("sign_in", who)
    audit.record_for_platform("sign_in", by=user, kind=Actor.MEMBER)
    return user


def sign_out(user: User) -> None:
    """Remembers it; the login session is the caller's to end."""
    audit.record_for_platform("sign_out", by=user, kind=Actor.MEMBER)


def forget_ended_sessions() -> int:
    """Some of the sessions that have ended, with what they were still to say; returns how many."""
    ended = Session.objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")
    keys = list(ended.values_list("pk", flat=True)[:_SESSIONS])
    gone, _ = Session.objects.filter(pk__in=keys).delete()
    return gone
