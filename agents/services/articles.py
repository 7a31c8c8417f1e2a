"""The tenant's knowledge: articles, and the passages that the search finds of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import transaction
from django.db.models import Func, TextField, Value
from django.db.models.functions import Now

from agents.knowledge import markdown
from agents.knowledge.terms import language_of, words, words_of_markdown
from agents.models import Article, Passage
from tenants.errors import InvalidInput

LONGEST_TITLE = 300
LONGEST_BODY = 1_000_000
_OUTDATED = frozenset(
    {"deprecated", "obsolete", "outdated", "superseded", "discontinued", "veraltet", "verouderd"}
    | {"obsoleto", "obsoleta", "descontinuado", "descontinuada"}
)
_FILLED = ["title", "body", "language", "digest", "characters"]
# A new way of cutting or folding changes this, so that the next import indexes every page anew.
_INDEX_VERSION = "1"


@dataclass(slots=True)
class ImportReport:
    """What an import did, in pages, and how much of their text can be found."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    characters: int = 0
    indexed: int = 0


@transaction.atomic
def create_article(
    *, title: str, body: str, source: str = "", import_source: str = "", language: str = ""
) -> Article:
    """The article and its passages, findable at commit; an empty `language` is guessed."""
    article = Article(source=source, import_source=import_source)
    _fill(article, title, body, language)
    article.save(force_insert=True)
    _index(article)
    return article


@transaction.atomic
def update_article(
    article: Article, *, title: str, body: str, source: str | None = None, language: str = ""
) -> Article:
    """The article says this from now on, and nothing of what it said before can be found."""
    locked = Article.objects.select_for_update().get(pk=article.pk)
    if source is not None:
        locked.source = source
    _fill(locked, title, body, language)
    locked.updated_at = Now()
    locked.save(update_fields=[*_FILLED, "source", "updated_at"])
    locked.refresh_from_db(fields=["updated_at"])
    locked.passages.all().delete()
    _index(locked)
    return locked


@transaction.atomic
def index_again(article: Article) -> None:
    """Its passages are made anew from what it says; for an article that has just arrived."""
    article.passages.all().delete()
    _index(article)


@transaction.atomic
def delete_article(article: Article) -> None:
    """Neither the article nor a word of it can be found afterwards."""
    article.delete()


@transaction.atomic
def import_articles(
    folder: Path, *, import_source: str, progress: Callable[[str], None] = lambda _line: None
) -> ImportReport:
    """Makes the articles of `import_source` equal to the folder's pages, in one transaction.

    A page that did not change is left alone, one that is gone is deleted; articles of other
    sources and files that are no Markdown are not touched.
    """
    pages = _pages(folder)
    report = ImportReport()
    known = {
        article.source: article
        for article in Article.objects.select_for_update().filter(import_source=import_source)
    }
    for source, body in pages.items():
        article = _import_page(source, body, import_source, known.get(source), report)
        report.characters += article.characters
        report.indexed += article.indexed
        progress(source)
    for source in known.keys() - pages.keys():
        delete_article(known[source])
        report.deleted += 1
    return report


def _import_page(
    source: str, body: str, import_source: str, known: Article | None, report: ImportReport
) -> Article:
    title = markdown.title_of(body) or source
    if known is None:
        report.created += 1
        return create_article(title=title, body=body, source=source, import_source=import_source)
    if known.digest == _digest(title[:LONGEST_TITLE], body):
        report.unchanged += 1
        return known
    report.updated += 1
    return update_article(known, title=title, body=body)


def _pages(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder. Name the folder that holds the pages.")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in {".md", ".markdown"})
    if not files:
        # An empty or mistyped folder must not be taken for "all pages have vanished".
        raise InvalidInput(f"{folder} holds no Markdown file (*.md). Nothing was changed.")
    try:
        return {path.stem: markdown.clean(path.read_text(encoding="utf-8")) for path in files}
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "A page is not UTF-8 text. Save it as UTF-8; nothing was changed."
        ) from error


def _fill(article: Article, title: str, body: str, language: str) -> None:
    title, body = markdown.clean(title).strip(), markdown.clean(body)
    errors = {}
    if not title:
        errors["title"] = ["Give the article a title."]
    if not body.strip():
        errors["body"] = ["Write something: an empty article answers nothing."]
    if len(body) > LONGEST_BODY:
        errors["body"] = [f"At most {LONGEST_BODY:,} characters. Split the page into several."]
    if errors:
        raise InvalidInput(errors=errors)
    article.title, article.body = title[:LONGEST_TITLE], body
    article.language = language or language_of(f"{title}\n{body}")
    article.digest = _digest(article.title, body)
    article.characters = len(body)


def _digest(title: str, body: str) -> str:
    return sha256(f"{_INDEX_VERSION}\0{title}\0{body}".encode()).hexdigest()


def _index(article: Article) -> None:
    chunks = markdown.split(article.body)
    Passage.objects.bulk_create(
        _passage(article, ordinal, chunk) for ordinal, chunk in enumerate(chunks)
    )
    lead = set(words_of_markdown(chunks[0].text)) | set(words(article.title))
    article.outdated = bool(lead & _OUTDATED)
    article.indexed = sum(len(chunk.text) for chunk in chunks)
    article.save(update_fields=["outdated", "indexed"])


def _passage(article: Article, ordinal: int, chunk: markdown.Chunk) -> Passage:
    title = words(article.title)
    headings = words(" ".join(part for part in chunk.path if part != article.title))
    text = words_of_markdown(markdown.without_heading(chunk.text))
    return Passage(
        article=article,
        ordinal=ordinal,
        heading=chunk.heading,
        heading_path=list(chunk.path),
        text=chunk.text,
        language=article.language,
        words=sorted({*title, *headings, *text}),
        length=len(text),
        search=_vector(article.language, title, headings, text),
    )


def _vector(language: str, *fields: Iterable[str]) -> Any:
    """Stemmed by the database, whose stemmers also read the questions."""
    arrays = [Value(list(field), output_field=ArrayField(TextField())) for field in fields]
    return Func(Value(language), *arrays, function="knowledge_vector")
