"""The plain pages: one table, one form, one detail template, filled here."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from tenants.console.forms import DeskForm
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest

Context = dict[str, Any]


def cell(text: Any, **options: Any) -> Context:
    return {"text": text, **options}


def switched(*, on: bool) -> Context:
    """Whether a thing that can be switched off is on."""
    if on:
        return cell(_("Switched on"), kind="badge", tone="success")
    return cell(_("Switched off"), kind="badge", tone="warning")


def columns(*labels: Any) -> list[Context]:
    return [{"label": label} for label in labels]


def row(cells: Sequence[Context], actions: Sequence[Context] = ()) -> Context:
    return {"cells": cells, "actions": actions}


def door(request: HttpRequest, template: str, form: DeskForm, **context: Any) -> HttpResponse:
    """A page outside every tenant; a refused form answers 422, so that programs see it too."""
    return render(request, template, {"form": form, **context}, status=_status(form))


def table(request: MemberRequest, **context: Any) -> HttpResponse:
    return render(request, "console/table.html", context)


def form_page(request: MemberRequest, form: DeskForm, **context: Any) -> HttpResponse:
    return render(request, "console/form.html", {"form": form, **context}, status=_status(form))


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


def _status(form: DeskForm) -> int:
    return 422 if form.is_bound and form.errors else 200
