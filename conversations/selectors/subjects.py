"""By which words a person would be found again: what the proof of an erasure looks for."""

import re
from collections.abc import Sequence
from uuid import UUID

from conversations.models import Attachment, Customer, CustomerIdentity, Message, MessageRole

# Ids of so many conversations, and so many of the person's own lines, stand for all.
_TALKS = 20
_LINES = 10
_LONG_LINE = 40
_LONG_NAME = 24
_SPEAKING = re.compile(r"@|\d{3}")


def words_of(customer: Customer, talks: Sequence[UUID]) -> tuple[list[str], list[str]]:
    """Ids, which nobody else can have; and words, which are this person's in this tenant alone.

    What others share (a first name, "hello") is left out: it would be found with any right.
    """
    ids = [str(customer.id), *(str(one) for one in talks[:_TALKS])]
    subjects = CustomerIdentity.objects.filter(customer=customer).values_list("subject", flat=True)
    own = {one for one in subjects if len(one) >= 6}
    if customer.email and not _others(customer, email__iexact=customer.email):
        own.add(customer.email)
    if (
        len(customer.name) >= 6
        and " " in customer.name
        and not _others(customer, name=customer.name)
    ):
        own.add(customer.name)
    own |= {value for key, value in _speaking(customer) if not _others_have(customer, key, value)}
    return ids, sorted(own | set(_lines(talks)) | set(_names_of_files(customer)))


def _others(customer: Customer, **what: str) -> bool:
    return Customer.stored.filter(**what).exclude(pk=customer.pk).exists()


def _others_have(customer: Customer, key: str, value: str) -> bool:
    same = Customer.stored.filter(attributes__contains={key: value})
    return same.exclude(pk=customer.pk).exists()


def _speaking(customer: Customer) -> list[tuple[str, str]]:
    """Attributes that look like a number or an address, and not like a kind of customer."""
    found = customer.attributes.items() if isinstance(customer.attributes, dict) else ()
    return [
        (key, value)
        for key, value in found
        if isinstance(value, str) and 8 <= len(value) <= 200 and _SPEAKING.search(value)
    ]


def _names_of_files(customer: Customer) -> list[str]:
    """Long names of the person's own files that nobody else's file in the tenant has."""
    long = Attachment.stored.filter(name__regex=f".{{{_LONG_NAME}}}")
    names = long.filter(customer=customer).order_by("-id").values_list("name", flat=True)
    found = list(names[:_LINES])
    others = long.filter(name__in=found).exclude(customer=customer)
    return sorted(set(found) - set(others.values_list("name", flat=True)))


def _lines(talks: Sequence[UUID]) -> list[str]:
    """Long lines of the person that nobody else in the tenant has said."""
    said = Message.objects.filter(
        conversation__in=talks[:_TALKS], role=MessageRole.CUSTOMER, text__regex=f".{{{_LONG_LINE}}}"
    )
    found = list(said.order_by("-seq").values_list("text", flat=True)[:_LINES])
    others = Message.objects.filter(text__in=found).exclude(conversation__in=talks)
    return sorted(set(found) - set(others.values_list("text", flat=True)))
