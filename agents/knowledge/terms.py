"""Words as the search sees them: folded, identifiers taken apart, Chinese in pairs."""

import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"

# Scripts written without spaces: a word is any two neighbouring characters.
_UNSPACED = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# Indic vowel signs are no letters to the regular expression, but they are parts of words.
_LETTERS = rf"(?:[^\W_{_UNSPACED}]|[\u0900-\u0dff])+"
_RUN = re.compile(rf"[{_UNSPACED}]+|{_LETTERS}(?:[-_.]+{_LETTERS})*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[-_.]+")
_TAG = re.compile(
    r"</?(?:a|abbr|b|br|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|kbd|li|ol|option|p|pre|select|small|span|strong"
    r"|sub|sup|table|tbody|td|th|thead|tr|u|ul)\b[^<>]*>|<!--.*?-->",
    re.DOTALL | re.IGNORECASE,
)
_LINK_TARGET = re.compile(r"\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
LONGEST_WORD = 60
# More parts than this is a host name, a hash or a path; as one word nobody would type it.
_MOST_PARTS = 5


def fold(text: str) -> str:
    """Lower case without accents, in one Unicode form."""
    return _without_accents(text.casefold())


def _without_accents(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(c for c in spread if not unicodedata.combining(c)))


def words(text: str) -> list[str]:
    """The words of a text, in order; `SITE_ROOT` and `siteRoot` give site, root, siteroot."""
    found: list[str] = []
    for run in _RUN.findall(_without_accents(text)):
        if re.match(rf"[{_UNSPACED}]", run):
            found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            found.extend(_taken_apart(run))
    return found


def words_of_markdown(text: str) -> list[str]:
    """The words that a reader sees: without HTML tags and without the targets of links."""
    return words(_LINK_TARGET.sub("] ", _TAG.sub(" ", text)))


def _taken_apart(run: str) -> list[str]:
    parts = [fold(part) for piece in _JOINT.split(run) for part in _CAMEL.split(piece)]
    parts = [part[:LONGEST_WORD] for part in parts if part]
    joined = "".join(parts)
    if 1 < len(parts) <= _MOST_PARTS and len(joined) <= LONGEST_WORD:
        parts.append(joined)
    return parts


@cache
def stop_words() -> dict[str, frozenset[str]]:
    """Words that say nothing about the subject, folded, by language."""
    lines = (_DATA / "stopwords.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(":", 1) for line in lines if line and not line.startswith("#"))
    return {language: frozenset(fold(rest).split()) for language, rest in pairs}


@cache
def _every_stop_word() -> frozenset[str]:
    return frozenset().union(*stop_words().values())


def language_of(text: str, default: str = "en") -> str:
    """The language whose stop words the text uses most; `default` when that says nothing."""
    counts = Counter(words(text[:5_000]))
    score = {
        language: sum(counts[word] for word in listed) for language, listed in stop_words().items()
    }
    best = max(score, key=lambda language: (score[language], language == default))
    return best if score[best] >= 3 and score[best] > score.get(default, 0) else default


def is_stop_word(word: str) -> bool:
    return word in _every_stop_word()
