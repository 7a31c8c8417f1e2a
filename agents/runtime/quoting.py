"""Reading the search tool's result back, and what to quote of it."""

import re
from dataclasses import dataclass

from agents.knowledge.excerpts import excerpt
from agents.knowledge.terms import words
from agents.knowledge.thesaurus import root

_PASSAGE = re.compile(
    r"<<<passage \d+\ntitle: (?P<title>[^\n]*)\nheading: (?P<heading>[^\n]*)\n---\n"
    r"(?P<text>.*?)\npassage \d+>>>",
    re.DOTALL,
)
_PARAGRAPHS = re.compile(r"\n\s*\n")
# Lists, quotes, tables and headings are made of lines; a list's item goes on in an indented one.
_LINES = re.compile(r"^\s*(?:[-*+>|#]|\d+[.)])", re.MULTILINE)
_GOES_ON = re.compile(r"\n {2,}(?![-*+>|#]|\d+[.)])")

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")


@dataclass(frozen=True)
class Passage:
    """A passage as the search tool fenced it."""

    title: str
    heading: str
    text: str

    @property
    def name(self) -> str:
        """How an answer names it."""
        if self.heading and self.heading != self.title:
            return f"{self.title} – {self.heading}" if self.title else self.heading
        return self.title


def passages_of(result: str) -> list[Passage]:
    """The passages of a search result; none when the search says that they do not suffice."""
    if not result.startswith("sufficient: yes"):
        return []
    found = [Passage(**match.groupdict()) for match in _PASSAGE.finditer(result)]
    return [passage for passage in found if passage.text.strip()]


def best_quote(passage: Passage, asked: str) -> str:
    """The paragraphs of the passage that answer best, as Markdown without images; never nothing."""
    roots = {root(word) for word in words(asked)}
    text = _IMAGE.sub("", passage.text)
    return _unwrapped(excerpt(text, roots).strip() or passage.text.strip())


def _unwrapped(text: str) -> str:
    """Lines that a page broke for its editor are one line in a chat, where each break shows."""
    if "```" in text:
        return text
    return "\n\n".join(map(_one_paragraph, _PARAGRAPHS.split(text)))


def _one_paragraph(text: str) -> str:
    return _GOES_ON.sub(" ", text) if _LINES.search(text) else " ".join(text.split("\n"))
