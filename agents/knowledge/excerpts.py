"""The part of a passage that is shown for a question."""

import re

from agents.knowledge.markdown import without_heading
from agents.knowledge.terms import words
from agents.knowledge.thesaurus import root

LONGEST_EXCERPT = 600
_PARAGRAPHS = re.compile(r"\n\s*\n")


def excerpt(text: str, roots: set[str]) -> str:
    """The paragraphs with most of the asked words, whole where they fit, without the heading."""
    body = without_heading(text)
    if len(body) <= LONGEST_EXCERPT:
        return body
    paragraphs = _PARAGRAPHS.split(body)
    told = [len(roots & {root(word) for word in words(paragraph)}) for paragraph in paragraphs]
    first = told.index(max(told))
    chosen = paragraphs[first]
    for paragraph in paragraphs[first + 1 :]:
        if len(chosen) + len(paragraph) + 2 > LONGEST_EXCERPT:
            break
        chosen += "\n\n" + paragraph
    if len(chosen) <= LONGEST_EXCERPT:
        return chosen
    return chosen[: LONGEST_EXCERPT - 1].rstrip() + "…"
