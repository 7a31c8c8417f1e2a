"""Where a person may be named outside of the desk's own tables: keys, letters, sessions, staff log.

Taken before the rows go, because only the rows say by which words to look.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import redis
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db.models import Q, QuerySet

from conversations.models import Customer, CustomerIdentity
from conversations.privacy.needles import Needles, needles
from tenants import due, quick_redis
from tenants import rates as rates_of
from tenants.models import Tenant
from tenants.personal_data import Whose
from tenants.scoping import current_tenant_id

_PAGE = 500
TENANT_HEADER = "X-Desk-Tenant"


def rates(whose: Whose) -> int:
    """Counters of the widget's floors; they end by themselves within a minute."""
    found = (
        quick_redis.attempt(lambda redis: redis.exists(*_rate_keys(whose))) if whose.customer else 0
    )
    return int(found or 0)


def forget_rates(whose: Whose, limit: int) -> int:
    if whose.customer is None:
        return 0
    return int(quick_redis.attempt(lambda redis: redis.delete(*_rate_keys(whose))) or 0)


def doorbells(whose: Whose) -> int:
    return sum(len(found) for _, found in _doorbells(whose))


def unring(whose: Whose, limit: int) -> int:
    """Rings that no worker has taken yet. What must happen is a row; rings may always be lost."""
    gone = 0
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5) as broker:
        for queue, found in _doorbells(whose):
            gone += sum(int(cast("int", broker.lrem(queue, 0, one))) for one in found)
    return gone


def letters(whose: Whose) -> int:
    return sum(1 for _ in _letters(whose))


def drop_letters(whose: Whose, limit: int) -> int:
    """Letters to the person that wait in the folder; what an SMTP server has, it has sent."""
    gone = list(_letters(whose))[:limit]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def sessions(whose: Whose) -> int:
    return sum(1 for _ in _sessions(whose))


def end_sessions(whose: Whose, limit: int) -> int:
    """Sign-in sessions that hold a word of the person, in a message that nobody has read yet."""
    keys = [key for key, _ in zip(_sessions(whose), range(limit), strict=False)]
    gone, _ = Session.objects.filter(pk__in=keys).delete()
    return gone


def staff_log(whose: Whose) -> int:
    return _staff_log(whose).count()


def clear_staff_log(whose: Whose, limit: int) -> int:
    """What the back office noted about rows of the person."""
    keys = list(_staff_log(whose).values_list("pk", flat=True)[:limit])
    gone, _ = LogEntry.objects.filter(pk__in=keys).delete()
    return gone


def _doorbells(whose: Whose) -> Iterator[tuple[str, list[bytes]]]:
    wanted = needles([str(one) for one in (whose.customer, *whose.conversations) if one])
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5) as broker:
        for queue in due.queues():
            rings = cast("list[bytes]", broker.lrange(queue, 0, -1))
            yield queue, [one for one in rings if wanted.are_in(one.decode(errors="replace"))]


def _rate_keys(whose: Whose) -> list[str]:
    return [rates_of.key_of("messages", str(whose.customer))]


def _letters(whose: Whose) -> Iterator[Path]:
    folder = Path(settings.EMAIL_FILE_PATH) if settings.EMAIL_FILE_PATH else None
    words = _words(whose)
    if folder is None or not words or not folder.exists():
        return
    wanted, ours = needles(words), f"{TENANT_HEADER}: {current_tenant_id()}"
    for path in sorted(folder.iterdir()):
        text = path.read_text(errors="replace") if path.is_file() else ""
        # The same address may be somebody else's customer: only this tenant's letters.
        if ours in text and wanted.are_in(text):
            yield path


def _sessions(whose: Whose) -> Iterator[str]:
    """Page by page: their data is packed and signed, so no query can look inside."""
    words = _words(whose)
    if not words:
        return
    wanted, slug, last = needles(words), Tenant.objects.get(pk=current_tenant_id()).slug, ""
    while True:
        page = list(Session.objects.filter(pk__gt=last).order_by("pk")[:_PAGE])
        if not page:
            return
        last = page[-1].pk
        yield from (one.pk for one in page if _names(one.get_decoded(), slug, wanted))


def _names(said: dict[str, Any], slug: str, wanted: Needles) -> bool:
    return said.get("tenant") == slug and wanted.are_in(repr(said))


def _staff_log(whose: Whose) -> QuerySet[LogEntry]:
    ids = [str(one) for one in (whose.customer, *whose.conversations) if one]
    named = Q(object_id__in=ids)
    for word in _words(whose):
        named |= Q(object_repr__icontains=word) | Q(change_message__icontains=word)
    # Staff and tenants may have the same name or address by their own right.
    return LogEntry.objects.filter(named).exclude(content_type__app_label="tenants")


def _words(whose: Whose) -> list[str]:
    """The person's id, address and signed names, of those long enough to mean only them."""
    if whose.customer is None:
        return []
    row = Customer.stored.filter(pk=whose.customer).first()
    subjects = CustomerIdentity.objects.filter(customer=whose.customer)
    found: Iterable[str] = (
        str(whose.customer),
        row.email if row else "",
        row.name if row and " " in row.name else "",
        *subjects.values_list("subject", flat=True),
    )
    return [word for word in found if len(word) >= 6]
