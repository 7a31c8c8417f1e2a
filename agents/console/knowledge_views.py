"""The tenant's knowledge: articles, their editor, and a try-out of the agent's search."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import article_for_member
from agents.console import present
from agents.console.forms import ArticleForm, PreviewForm, SearchForm
from agents.models import Article
from agents.selectors import articles as selectors
from agents.selectors.knowledge import search_knowledge
from agents.services import articles as services
from tenants.console import pages
from tenants.errors import DeskError
from tenants.gates.members import MemberRequest, member_required
from tenants.permissions import Permission

PAGE = 50


@member_required(Permission.KNOWLEDGE)
@require_safe
def articles(request: MemberRequest) -> HttpResponse:
    return render(request, "console/knowledge/index.html", _index(request))


@member_required(Permission.KNOWLEDGE)
@require_safe
def search(request: MemberRequest) -> HttpResponse:
    """What the agent's tool would find, with its scores and its verdict."""
    form = SearchForm(request.GET)
    question = form.cleaned_data["q"] if form.is_valid() else ""
    found = present.results(search_knowledge(question), question) if question else {}
    if request.headers.get("HX-Request") == "true":
        return render(request, "console/knowledge/_results.html", found)
    return render(request, "console/knowledge/index.html", _index(request) | found)


@member_required(Permission.KNOWLEDGE)
@require_http_methods(["GET", "POST"])
def add_article(request: MemberRequest) -> HttpResponse:
    form = ArticleForm(request.POST or None)
    if form.is_valid():
        try:
            services.create_article(**form.cleaned_data)
        except DeskError as error:
            form.refuse(error)
        else:
            return pages.done(request, _("Saved. It can be found now."), "agents:articles")
    return _editor(request, form, title=_("New article"))


@member_required(Permission.KNOWLEDGE)
@require_http_methods(["GET", "POST"])
def article(request: MemberRequest, article_id: UUID) -> HttpResponse:
    row = article_for_member(request.member, article_id)
    form = ArticleForm(request.POST or None, initial={"title": row.title, "body": row.body})
    if form.is_valid():
        try:
            services.update_article(row, **form.cleaned_data)
        except DeskError as error:
            form.refuse(error)
        else:
            messages.success(request, _("Saved. The agent answers from this text now."))
            return redirect("agents:article", request.tenant.slug, row.id)
    return _editor(request, form, title=row.title, **_about(request, row))


@member_required(Permission.KNOWLEDGE)
@require_POST
def delete_article(request: MemberRequest, article_id: UUID) -> HttpResponse:
    services.delete_article(article_for_member(request.member, article_id))
    return pages.done(request, _("Deleted. It is not quoted any more."), "agents:articles")


@member_required(Permission.KNOWLEDGE)
@require_POST
def preview(request: MemberRequest) -> HttpResponse:
    form = PreviewForm(request.POST)
    body = form.cleaned_data["body"] if form.is_valid() else ""
    return render(request, "console/knowledge/_preview.html", _preview(body))


def _index(request: MemberRequest) -> dict[str, Any]:
    rows = selectors.articles(after=_place(request.GET.get("after", "")), limit=PAGE + 1)
    more = len(rows) > PAGE
    rows = rows[:PAGE]
    add = {"label": _("New article"), "url": _url(request, "add-article"), "icon": "plus"}
    return {
        "active": "knowledge",
        "actions": [add | {"tone": "primary"}],
        "columns": [*pages.columns(_("Title"), _("Language")), *_number_columns()],
        "rows": [_row(request, row) for row in rows],
        "empty": {
            "title": _("No article yet"),
            "text": _("Without any, the agent answers nothing by itself and asks for a person."),
            "action": add,
        },
        "next_url": _after(rows[-1]) if more else None,
    }


def _number_columns() -> list[dict[str, Any]]:
    numbers = pages.columns(_("Passages"), _("Characters"))
    return [*(column | {"kind": "number"} for column in numbers), *pages.columns(_("Changed"))]


def _row(request: MemberRequest, row: Any) -> dict[str, Any]:
    title = pages.cell(row.title, url=_url(request, "article", row.id), hint=row.source)
    language = pages.cell(row.language)
    passages = pages.cell(row.passage_count, kind="number")
    size = pages.cell(f"{row.characters:,}", kind="number")
    return {"cells": [title, language, passages, size, pages.cell(row.updated_at, kind="time")]}


def _editor(request: MemberRequest, form: ArticleForm, **context: Any) -> HttpResponse:
    body = str(form["body"].value() or "")
    context |= {
        "active": "knowledge",
        "form": form,
        "cancel_url": _url(request, "articles"),
        "preview_url": _url(request, "preview-article"),
        **_preview(body),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "console/knowledge/editor.html", context, status=status)


def _preview(body: str) -> dict[str, Any]:
    return present.preview(selectors.preview(body) if body.strip() else [], body)


def _about(request: MemberRequest, row: Article) -> dict[str, Any]:
    delete = {
        "label": _("Delete"),
        "url": _url(request, "delete-article", row.id),
        "method": "post",
        "tone": "error",
        "confirm": _("Delete this article for good? The agent never quotes it again."),
    }
    about: dict[str, Any] = {"actions": [delete]}
    if row.import_source:
        text = _("This page was imported. The next import of its folder replaces what you change.")
        about["notice"] = {"tone": "warning", "text": text}
    return about


def _place(text: str) -> tuple[datetime, UUID] | None:
    """Where the page begins; the first page for what cannot be read."""
    try:
        changed, row_id = text.split("~")
        return datetime.fromisoformat(changed), UUID(row_id)
    except ValueError:
        return None


def _after(row: Article) -> str:
    return "?" + urlencode({"after": f"{row.updated_at.isoformat()}~{row.id}"})


def _url(request: MemberRequest, name: str, *ids: UUID) -> str:
    return reverse(f"agents:{name}", args=[request.tenant.slug, *ids])
