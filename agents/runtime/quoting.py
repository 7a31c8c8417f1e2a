"""What to quote of a found passage: its sentences that share most with the question."""

import re
from dataclasses import dataclass

_PASSAGE = re.compile(
    r"<<<passage \d+\ntitle: (?P<title>[^\n]*)\nheading: (?P<heading>[^\n]*)\n---\n"
    r"(?P<text>.*?)\npassage \d+>>>",
    re.DOTALL,
)
_SENTENCE = re.compile(r"(?<=[.!?؟])\s+(?=[^\s.!?])|\n{2,}|\n(?=[-*] |\d+\. )")
_WORD = re.compile(r"\w{3,}")
_HEADING = re.compile(r"^#+\s.*$", re.MULTILINE)
_SENTENCES = 3
_LENGTH = 600


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
    """Up to three neighbouring sentences of the passage, those that answer best; never nothing."""
    body = _HEADING.sub("", passage.text).strip() or passage.text.strip()
    if len(body) <= _LENGTH:
        return body
    sentences = [part.strip() for part in _SENTENCE.split(body) if part.strip()]
    wanted = _stems(asked)
    best = max(range(len(sentences)), key=lambda start: (_score(sentences, start, wanted), -start))
    return _shortened(sentences[best : best + _SENTENCES])


def _score(sentences: list[str], start: int, wanted: set[str]) -> int:
    said = " ".join(sentences[start : start + _SENTENCES])
    # The first sentence counts twice: a quote begins where the answer does.
    return len(wanted & _stems(said)) + len(wanted & _stems(sentences[start]))


def _stems(text: str) -> set[str]:
    """Words cut to five letters: enough to tell that "ships" answers "shipping"."""
    return {word[:5].lower() for word in _WORD.findall(text)}


def _shortened(sentences: list[str]) -> str:
    quote = ""
    for sentence in sentences:
        joint = "\n" if sentence.startswith(("- ", "* ")) or sentence[:1].isdigit() else " "
        longer = f"{quote}{joint if quote else ''}{sentence}"
        if quote and len(longer) > _LENGTH:
            break
        quote = longer
    return quote if len(quote) <= _LENGTH else quote[: _LENGTH - 1].rsplit(" ", 1)[0] + "…"
