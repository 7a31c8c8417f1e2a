"""The tenant's articles as their pages list and preview them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from agents.knowledge import markdown
from agents.models import Article


@dataclass(frozen=True, slots=True)
class PassagePreview:
    """A section as the search will find and quote it."""

    heading: str
    text: str


def articles(*, after: tuple[datetime, UUID] | None = None, limit: int = 50) -> list[Article]:
    """The latest changed first, each with `passage_count`; one statement, without the bodies."""
    rows: QuerySet[Article] = Article.objects.annotate(passage_count=Count("passages"))
    if after is not None:
        changed, row_id = after
        rows = rows.filter(Q(updated_at__lt=changed) | Q(updated_at=changed, id__lt=row_id))
    return list(rows.defer("body").order_by("-updated_at", "-id")[:limit])


def preview(body: str) -> list[PassagePreview]:
    """The passages that an article with this body would have."""
    chunks = markdown.split(markdown.clean(body))
    return [PassagePreview(chunk.heading, markdown.without_heading(chunk.text)) for chunk in chunks]
