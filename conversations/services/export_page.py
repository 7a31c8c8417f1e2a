"""An export as a page for people: no script, nothing loaded, right in both writing directions."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.template.loader import get_template
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import get_language_info

from conversations.lines import words_of_export
from conversations.models import Conversation, Customer
from conversations.selectors.own_data import Subject, talk_with_lines
from tenants.models import Tenant
from tenants.scoping import current_tenant_id

# Where the conversations go: nobody can write this, so nothing of theirs is taken for it.
_HERE = "\ue000talks\ue000"


def readable(subject: Subject) -> Iterator[bytes]:
    """The page in pieces, in the customer's language."""
    tenant = Tenant.objects.get(pk=current_tenant_id())
    language, words = words_of_export(subject.customer.locale or tenant.locale)
    talks = [_entry(talk, words) for talk in subject.talks.order_by("id")]
    page = {
        "here": _HERE,
        "language": language,
        "direction": "rtl" if get_language_info(language)["bidi"] else "ltr",
        "tenant": tenant.name,
        "words": words,
        "made": words["made"].format(day=_day(timezone.now(), language)),
        "facts": _facts(subject.customer, words),
        "talks": talks,
    }
    before, _, after = get_template("export/page.html").render(page).partition(_HERE)
    yield before.encode()
    talk_page = get_template("export/talk.html")
    for talk, lines in talk_with_lines(subject):
        head = _entry(talk, words) | {"begun": _day(talk.created_at, language), "words": words}
        yield talk_page.render(head).encode()
        yield from _lines(lines, language, words)
    yield after.encode()


def _lines(
    lines: Iterator[dict[str, Any]], language: str, words: dict[str, str]
) -> Iterator[bytes]:
    """What was said, with the day above its first line."""
    page, last = get_template("export/line.html"), None
    with timezone.override(UTC):
        for line in lines:
            date = line["created_at"].astimezone(UTC).date()
            day = _day(line["created_at"], language) if date != last else ""
            last = date
            yield page.render({"line": line, "words": words, "day": day}).encode()


def _entry(talk: Conversation, words: dict[str, str]) -> dict[str, Any]:
    return {"id": talk.id, "title": talk.title or words["conversation"]}


def _day(at: datetime, language: str) -> str:
    with translation.override(language):
        return date_format(at.astimezone(UTC), "DATE_FORMAT")


def _facts(customer: Customer, words: dict[str, str]) -> list[tuple[str, Any]]:
    own = [(words["name"], customer.name), (words["email"], customer.email)]
    return [*own, *sorted(customer.attributes.items())]
