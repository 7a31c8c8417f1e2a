"""An export as a page for people: no script, nothing loaded, right in both writing directions."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.template.loader import get_template
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import get_language_info

from conversations.lines import words_of_export
from conversations.models import Attachment, Conversation, Customer
from conversations.selectors.export_subject import Subject
from conversations.selectors.own_data import talk_with_lines
from conversations.selectors.own_files import is_given, path_of, pieces_of
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
        yield from _lines(lines, subject, language, words)
    yield after.encode()


def _lines(
    lines: Iterator[dict[str, Any]], subject: Subject, language: str, words: dict[str, str]
) -> Iterator[bytes]:
    """What was said, with the day above its first line."""
    page, last = get_template("export/line.html"), None
    with timezone.override(UTC):
        for line in lines:
            date = line["created_at"].astimezone(UTC).date()
            day = _day(line["created_at"], language) if date != last else ""
            last = date
            shown = {"line": line, "words": words, "day": day} | _files(line, subject)
            yield page.render(shown).encode()


def _files(line: dict[str, Any], subject: Subject) -> dict[str, Any]:
    """Each file of a line by its name; `silent` when the words are those names and no more."""
    files: list[Attachment] = line["files"]
    return {
        "files": [_tile(file) for file in files if is_given(file, subject) or file.is_removed],
        "silent": line["text"] == ", ".join(file.name for file in files) and bool(files),
    }


def _tile(file: Attachment) -> dict[str, Any]:
    """The small picture stands in the page itself: nothing is loaded from anywhere."""
    if file.is_removed:
        return {}
    small = b"".join(data for data, _ in pieces_of(file, "preview")) if file.is_image else b""
    picture = f"data:image/webp;base64,{b64encode(small).decode()}" if small else ""
    return {"name": file.name, "path": path_of(file), "picture": picture}


def _entry(talk: Conversation, words: dict[str, str]) -> dict[str, Any]:
    return {"id": talk.id, "title": talk.title or words["conversation"]}


def _day(at: datetime, language: str) -> str:
    with translation.override(language):
        return date_format(at.astimezone(UTC), "DATE_FORMAT")


def _facts(customer: Customer, words: dict[str, str]) -> list[tuple[str, Any]]:
    own = [(words["name"], customer.name), (words["email"], customer.email)]
    return [*own, *sorted(customer.attributes.items())]
