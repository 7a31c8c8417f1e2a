"""An export as a page for people: no script, nothing loaded, right in both writing directions."""

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.template.loader import get_template
from django.utils import timezone
from django.utils.translation import get_language_info

from conversations.lines import words_of_export
from conversations.models import Customer
from conversations.selectors.own_data import Subject, talk_with_lines
from tenants.models import Tenant
from tenants.scoping import current_tenant_id

# Where the conversations go: nobody can write this, so nothing of theirs is taken for it.
_HERE = "\ue000talks\ue000"


def readable(subject: Subject) -> Iterator[bytes]:
    """The page in pieces, in the customer's language."""
    tenant = Tenant.objects.get(pk=current_tenant_id())
    language, words = words_of_export(subject.customer.locale or tenant.locale)
    with timezone.override(UTC):
        page = {
            "talks": _HERE,
            "language": language,
            "direction": "rtl" if get_language_info(language)["bidi"] else "ltr",
            "tenant": tenant.name,
            "words": words,
            "facts": _facts(subject.customer, words),
        }
        before, _, after = get_template("export/page.html").render(page).partition(_HERE)
        yield before.encode()
        talk_page, line_page = get_template("export/talk.html"), get_template("export/line.html")
        for talk, lines in talk_with_lines(subject):
            title = talk.title or words["conversation"]
            yield talk_page.render({"title": title, "begun": talk.created_at}).encode()
            for line in lines:
                yield line_page.render({"line": line, "words": words}).encode()
        yield after.encode()


def _facts(customer: Customer, words: dict[str, str]) -> list[tuple[str, Any]]:
    own = [(words["name"], customer.name), (words["email"], customer.email)]
    return [*own, *sorted(customer.attributes.items())]
