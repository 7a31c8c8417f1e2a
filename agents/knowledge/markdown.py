"""Markdown pages become passages: one a heading, whole and in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

DEEPEST_HEADING = 3
LONGEST_CHUNK = 1_500

_ATTRIBUTE_LIST = re.compile(r"\s*\{:[^{}]*\}\s*$")
_PARSER = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a page: an exact slice of it, and the headings that it stands under."""

    heading: str
    path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    level: int
    text: str


def clean(source: str) -> str:
    """The text as it is stored: one kind of line end, no byte order mark, no NUL character."""
    one_line_end = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return one_line_end.replace("\0", "")


def title_of(source: str) -> str:
    """The text of the first heading; empty when the page has none."""
    return next((heading.text for heading in _headings(_PARSER.parse(clean(source)))), "")


def split(source: str) -> list[Chunk]:
    """The page's passages, in order; joined, their texts are exactly `clean(source)`.

    A heading inside a code fence is no heading. A heading without text of its own goes to the
    passage after it, so that no passage is a bare heading. A section longer than `LONGEST_CHUNK`
    is cut between its blocks.
    """
    source = clean(source)
    tokens = _PARSER.parse(source)
    lines = _as_the_parser_counts(source)
    starts = sorted({token.map[0] for token in tokens if token.map and token.level == 0})
    chunks: list[Chunk] = []
    for path, first, last in _sections(_headings(tokens), lines):
        inner = [start for start in starts if first < start < last]
        heading = path[-1] if path else ""
        pieces = _pieces(lines, [first, *inner, last])
        chunks.extend(Chunk(heading, path, text) for text in pieces)
    return chunks


def without_heading(text: str) -> str:
    """A passage's text without the heading lines that it begins with."""
    lines = text.strip().split("\n")
    while lines and (not lines[0].strip() or re.match(r"#{1,6}\s", lines[0])):
        lines.pop(0)
    return "\n".join(lines).strip()


def _as_the_parser_counts(source: str) -> list[str]:
    # str.splitlines() also cuts at form feeds and U+2028, which Markdown does not count as line
    # ends.
    return re.findall(r"[^\n]*\n|[^\n]+", source)


def _headings(tokens: list[Token]) -> list[_Heading]:
    found = []
    for token, inline in pairwise(tokens):
        level = int(token.tag[1]) if token.type == "heading_open" else 0
        if token.map and token.level == 0 and 1 <= level <= DEEPEST_HEADING:
            found.append(_Heading(token.map[0], level, _plain(inline)))
    return found


def _plain(inline: Token) -> str:
    parts = [child.content or " " for child in inline.children or [] if child.type != "html_inline"]
    return " ".join(_ATTRIBUTE_LIST.sub("", "".join(parts)).split())


def _sections(
    headings: list[_Heading], lines: list[str]
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Path, first and last line of every section; the lines of an empty one go to the next."""
    path: list[_Heading] = []
    first = 0
    marks = [*headings, _Heading(len(lines), 0, "")]
    body_from = 0
    for mark in marks:
        if any(line.strip() for line in lines[body_from : mark.line]) or (
            mark.level == 0 and first < mark.line
        ):
            yield tuple(heading.text for heading in path), first, mark.line
            first = mark.line
        path = [heading for heading in path if heading.level < mark.level] + [mark]
        body_from = mark.line + 1


def _pieces(lines: list[str], cuts: list[int]) -> Iterator[str]:
    """The section's text, cut at the given lines so that no piece is longer than it must be."""
    piece = ""
    for start, end in pairwise(cuts):
        for block in _blocks("".join(lines[start:end])):
            if piece.strip() and len(piece) + len(block) > LONGEST_CHUNK:
                yield piece
                piece = ""
            piece += block
    if piece:
        yield piece


def _blocks(text: str) -> Iterator[str]:
    """A block as it is, or, if it alone is too long, its lines, or pieces of one endless line."""
    if len(text) <= LONGEST_CHUNK:
        yield text
        return
    for line in _as_the_parser_counts(text):
        for start in range(0, len(line), LONGEST_CHUNK):
            yield line[start : start + LONGEST_CHUNK]
