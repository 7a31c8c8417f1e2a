"""What customers read exists in every language of the desk, with the same places for values."""

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings

from conversations import letters
from conversations.lines import words_of_export

ROOT = Path(__file__).parents[2]
LANGUAGES = {code for code, _ in settings.LANGUAGES}
LOCALES = ROOT / "static/widget/locales"


def test_every_table_of_translations_in_the_code_is_whole():
    tables = [found for app in ("tenants", "conversations", "agents") for found in _tables(app)]
    assert len(tables) > 15
    assert {place: texts for place, texts in tables if set(texts) != LANGUAGES} == {}
    assert [place for place, texts in tables if not all(map(str.strip, texts.values()))] == []
    assert [place for place, texts in tables if len(_holes(texts)) > 1] == []


def test_the_widget_says_the_same_in_every_language():
    said = {path.stem: _strings(path) for path in LOCALES.glob("*.js")}
    assert set(said) == LANGUAGES
    assert {code: set(said["en"]) ^ set(words) for code, words in said.items() if
            set(words) != set(said["en"])} == {}  # fmt: skip
    assert any(name.startswith("erase") for name in said["en"])
    assert any(name.startswith("export") for name in said["en"])


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_pages_and_the_letter_of_a_request_are_in_the_person_s_language(language):
    page = letters.page_for(language, company="Acme", due_at=datetime(2026, 12, 30, tzinfo=UTC))
    ended = letters.page_of_ended_link(language)
    subject, text = letters.letter_for(language, company="Acme", link="https://a.example/x/")
    exported, words = words_of_export(language)

    assert {page["language"], ended["language"], exported} == {language}
    assert (page["rtl"], ended["rtl"]) == (language == "ar", language == "ar")
    assert "2026" in page["thanks"]
    assert "2026-12-30" not in page["thanks"]  # as people write it
    shown = [page["text"], page["final"], page["button"], ended["ended"], subject, text]
    assert all(shown)
    assert all(words.values())
    if language != "en":
        english = letters.page_for("en", company="Acme", due_at=datetime(2026, 12, 30, tzinfo=UTC))
        assert not {*english.values()} & {page["text"], page["final"], page["button"]}


def _tables(app: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Dicts from languages to texts, or to tuples of them, as they stand in the source."""
    for path in (ROOT / app).rglob("*.py"):
        if "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Dict) and _is_translated(node):
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                yield place, {_text(key): _text(value) for key, value in _items(node)}


def _is_translated(node: ast.Dict) -> bool:
    keys = {_text(key) for key, _ in _items(node)}
    return {"en", "de"} <= keys and all(isinstance(key, ast.Constant) for key in node.keys)


def _items(node: ast.Dict) -> Iterator[tuple[ast.expr, ast.expr]]:
    return ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Tuple):
        return "\n".join(map(_text, node.elts))
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def _holes(texts: dict[str, str]) -> set[tuple[str, ...]]:
    return {tuple(sorted(set(re.findall(r"\{\w*\}", text)))) for text in texts.values()}


def _strings(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^  (\w+):\s*\"?(.*)$", path.read_text(), re.MULTILINE))
