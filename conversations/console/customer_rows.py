"""Rows of the customers' pages."""

from collections.abc import Collection, Iterable, Sequence
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.models import Conversation, Customer, CustomerMerge
from tenants.console.pages import Context, cell, columns, row


def customers(slug: str, found: Iterable[Customer], proven: Collection[UUID]) -> list[Context]:
    return [
        row(
            [
                cell(one.name or _("Visitor"), url=_url("customer", slug, one.id)),
                cell(one.email or "–"),
                _identity(one.id in proven or one.email_verified),
                cell(one.created_at, kind="time"),
            ],
            None,
        )
        for one in found
    ]


def facts(one: Customer, *, verified: bool) -> list[Context]:
    own = [
        {"label": _("E-mail"), "cell": cell(one.email or "–")},
        {"label": _("Identity"), "cell": _identity(verified or one.email_verified)},
        {"label": _("Language"), "cell": cell(one.locale or "–")},
        {"label": _("First seen"), "cell": cell(one.created_at, kind="time")},
    ]
    more = sorted(one.attributes.items())
    return own + [{"label": name, "cell": cell(str(value))} for name, value in more]


def acts(slug: str, one: Customer) -> list[Context]:
    return [
        {"label": _("Merge with another"), "url": _url("merge-customer", slug, one.id)},
        {"label": _("Split in two"), "url": _url("split-customer", slug, one.id)},
    ]


def privacy_acts(slug: str, one: Customer) -> list[Context]:
    """What an officer may do: copy, keep, erase."""
    held = urlencode({"scope": "customer", "subject": one.id})
    hold = f"{reverse('conversations:add-hold', args=[slug])}?{held}"
    erase = reverse("conversations:erase-customer", args=[slug, one.id])
    return [
        {"label": _("Export the data"), "url": _url("ask-export", slug, one.id)},
        {"label": _("Place a hold"), "url": hold},
        {"label": _("Erase this customer"), "url": erase, "tone": "danger"},
    ]


def talks(slug: str, found: Iterable[Conversation]) -> Context:
    return {
        "title": _("Conversations"),
        "columns": columns(_("Conversation"), _("Status"), _("Last message")),
        "rows": [
            row(
                [
                    cell(_title(talk), url=_url("thread", slug, talk.id)),
                    cell(talk.get_status_display(), kind="badge"),
                    cell(talk.last_message_at, kind="time"),
                ],
                None,
            )
            for talk in found
        ],
        "empty": _("No conversation that you may read."),
    }


def merges(slug: str, one: Customer, found: Iterable[CustomerMerge], *, may_undo: bool) -> Context:
    return {
        "title": _("Merged and split"),
        "columns": columns(_("What"), _("By"), _("When"), _("Can be undone until")),
        "rows": [
            row(
                [
                    cell(_what(made, one), hint=_counts(made)),
                    cell(made.by.name if made.by else "–"),
                    cell(made.created_at, kind="time"),
                    cell(made.undo_until, kind="time")
                    if made.undone_at is None
                    else cell(_("Undone"), kind="badge"),
                ],
                [_undo(slug, made)] if may_undo and made.undone_at is None else [],
            )
            for made in found
        ],
        "empty": _("This customer was never merged or split."),
    }


def who(one: Customer) -> str:
    return one.name or one.email or _("Visitor")


def others(found: Iterable[Customer], proven: Collection[UUID]) -> list[Context]:
    """Each with the way to the question whether it is meant."""
    return [
        row(
            [
                cell(one.name or _("Visitor")),
                cell(one.email or "–"),
                _identity(one.id in proven or one.email_verified),
                cell(one.created_at, kind="time"),
            ],
            [{"label": _("The same person"), "url": f"?other={one.id}"}],
        )
        for one in found
    ]


def two_people(kept: Customer, other: Customer) -> list[Context]:
    """Who takes in whom, so that nobody merges the wrong two."""
    return [
        {"label": _("Stays"), "cell": _person(kept)},
        {"label": _("Is taken in"), "cell": _person(other)},
    ]


def _person(one: Customer) -> Context:
    since = _("first seen %(day)s") % {"day": date_format(one.created_at, "j M Y")}
    return cell(who(one), hint=" · ".join(filter(None, [one.email, since])))


def nothing_to_split(talks: Sequence[Conversation]) -> Context | None:
    if len(talks) > 1:
        return None
    text = _("This customer has one conversation or none, so there is nothing to split off.")
    return {"tone": "warning", "text": text}


def talk_choices(found: Iterable[Conversation]) -> list[tuple[str, str]]:
    return [
        (str(talk.id), f"{_title(talk)} · {date_format(talk.created_at, 'j M Y')}")
        for talk in found
    ]


def next_url(q: str, before: UUID) -> str:
    return "?" + urlencode({"q": q, "before": str(before)} if q else {"before": str(before)})


def _what(made: CustomerMerge, one: Customer) -> str:
    if made.kind == CustomerMerge.Kind.SPLIT:
        return _("Split off") if made.source_id == one.id else _("Was split off")
    return _("Took in {name}").format(name=made.source.name or _("a visitor"))


def _counts(made: CustomerMerge) -> str:
    count = len(made.conversations)
    return ngettext("%(n)d conversation", "%(n)d conversations", count) % {"n": count}


def _undo(slug: str, made: CustomerMerge) -> Context:
    return {
        "label": _("Undo the merge")
        if made.kind == CustomerMerge.Kind.MERGE
        else _("Undo the split"),
        "url": _url("undo-merge", slug, made.id),
        "method": "post",
        "confirm": _("Undo it? What was written since then stays where it is."),
    }


def _identity(proven: bool) -> Context:  # noqa: FBT001 - of a cell
    if proven:
        return cell(_("Verified"), kind="badge", tone="success")
    return cell(_("Not verified"), kind="badge", tone="warning")


def _title(talk: Conversation) -> str:
    return talk.title or talk.last_message_preview or _("Conversation")


def _url(name: str, slug: str, row_id: UUID) -> str:
    return reverse(f"conversations:{name}", args=[slug, row_id])
