"""The plain pages: one table, one form, one detail template, filled here."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from tenants.console.forms import DeskForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest
from tenants.personal_data import Named

Context = dict[str, Any]


def cell(text: Any, **options: Any) -> Context:
    """One value; a number is shown with separators."""
    return {"text": f"{text:,}" if isinstance(text, int) else text, **options}


def place(store: Named) -> Context:
    """Where data lies, in people's words; small below it, what it is called in the code."""
    return cell(store.title, hint=store.code, hint_kind="code")


def switched(*, on: bool) -> Context:
    """Whether a thing that can be switched off is on."""
    if on:
        return cell(_("Switched on"), kind="badge", tone="success")
    return cell(_("Switched off"), kind="badge", tone="warning")


def columns(*labels: Any) -> list[Context]:
    """The heads of a table; those of numbers come from `number`."""
    return [one if isinstance(one, dict) else {"label": one} for one in labels]


def number(label: Any) -> Context:
    """The head of a column of numbers."""
    return {"label": label, "kind": "number"}


def row(cells: Sequence[Context], actions: Sequence[Context] | None = ()) -> Context:
    """`actions`: None in a table whose rows have none."""
    return {"cells": cells, "actions": actions}


def moment(at: datetime) -> str:
    """A time within a sentence, in the tenant's zone, which it names."""
    return date_format(timezone.localtime(at), "j M Y, H:i T")


def door(request: HttpRequest, template: str, form: DeskForm, **context: Any) -> HttpResponse:
    """A page outside every tenant; a refused form answers 422, so that programs see it too."""
    return render(request, template, {"form": form, **context}, status=status_of(form))


def table(request: MemberRequest, **context: Any) -> HttpResponse:
    return render(request, "console/table.html", context)


def form_page(request: MemberRequest, form: DeskForm, **context: Any) -> HttpResponse:
    return render(request, "console/form.html", {"form": form, **context}, status=status_of(form))


def detail(request: MemberRequest, **context: Any) -> HttpResponse:
    return render(request, "console/detail.html", context)


def secret_page(request: MemberRequest, secret: str, **context: Any) -> HttpResponse:
    """Shows a secret once, in the answer itself: nothing keeps it for a redirect."""
    notice = {"tone": "warning", "text": context.pop("text"), "secret": secret}
    return render(request, "console/detail.html", {"notice": notice, **context})


def done(request: MemberRequest, text: Any, url_name: str) -> HttpResponse:
    messages.success(request, text)
    return redirect(url_name, request.tenant.slug)


def attempt(
    request: MemberRequest, act: Callable[[], Any], text: Any, url_name: str
) -> HttpResponse:
    """For a button: does it and goes back to the list, with what happened."""
    try:
        act()
    except DeskError as error:
        messages.error(request, error.detail)
        return redirect(url_name, request.tenant.slug)
    return done(request, text, url_name)


def status_of(form: DeskForm) -> int:
    """Of the answer; a refused form opens where the first thing is to be mended."""
    if not (form.is_bound and form.errors):
        return 200
    wrong = [name for name in form.fields if name in form.errors]
    for name in wrong[:1]:
        form.fields[name].widget.attrs["autofocus"] = True
    return 422
