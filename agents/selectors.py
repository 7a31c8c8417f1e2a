"""Reads of the agents' rows that are more than a filter."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from agents.knowledge import floor
from agents.knowledge.concepts import CORRECTED, Concept, concepts
from agents.knowledge.excerpts import excerpt
from agents.knowledge.ranking import Candidate, Vocabulary, Way, score, ways_of
from agents.knowledge.thesaurus import root
from agents.knowledge.typos import corrections, may_be_mistyped
from agents.models import Passage

# What the database looks up and what Python weighs; both bound the time of one search.
MOST_LOOKUPS = 4_000
MOST_CANDIDATES = 150
# A passage that shares this much of its words with a better one on another page is its copy, …
COPY_SHARE = 0.6
# … and so much of its score is left, so that three versions of a page do not fill the first three places.
COPY = 0.7


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that may answer; `score` is comparable between questions (see knowledge/floor.py)."""

    article_id: UUID
    title: str
    source: str
    heading: str
    excerpt: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """All passages found, best first, and whether the best is good enough to answer from."""

    results: list[Found]
    sufficient: bool


def search_knowledge(query: str, *, previous: str = "", limit: int = 10) -> KnowledgeAnswer:
    """The open scope's passages for a customer's question, best first.

    `previous` is the customer's line before it: "and for two?" means nothing alone. Every character of both
    is taken literally. All that was found comes back; whether to answer from it is `sufficient`.
    """
    asked = concepts(query, previous)
    known = _vocabulary(asked)
    ways = ways_of(asked, known)
    if not any(ways):
        return KnowledgeAnswer([], sufficient=False)
    ranked = _ranked(_candidates(ways), ways)[: max(limit, 1)]
    roots = {root(word) for concept in asked for word in concept.words()}
    results = [
        _found(passage, floor.strength(points, len(ways), known.rarest), roots)
        for points, passage in ranked
    ]
    return KnowledgeAnswer(results, bool(results) and floor.sufficient(results[0].score))


def _found(passage: Passage, strength: float, roots: set[str]) -> Found:
    article = passage.article
    return Found(
        article_id=article.id,
        title=article.title,
        source=article.source,
        heading=passage.heading,
        excerpt=excerpt(passage.text, roots),
        text=passage.text,
        score=round(strength, 4),
    )


def _vocabulary(asked: list[Concept]) -> Vocabulary:
    """The tenant's words for the concepts; a word that it has none for is taken for a slip, if it may be one."""
    stems: dict[str, dict[str, int]] = defaultdict(dict)
    wanted = sorted(set[str]().union(*(concept.words() for concept in asked)))
    for word, lexeme, passages in _rows("SELECT * FROM knowledge_words(%s)", [wanted]):
        stems[word][lexeme] = passages
    unknown = {
        concept.word: concept
        for concept in asked
        if not _has_a_word(concept, stems) and may_be_mistyped(concept.word)
    }
    near: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    if unknown:
        sql = "SELECT * FROM knowledge_neighbours(%s)"
        for word, other, lexeme, passages in _rows(sql, [sorted(unknown)]):
            near[word][other][lexeme] = passages
    for word, others in near.items():
        for other in corrections(word, others):
            unknown[word].offer((other,), CORRECTED)
            stems[other] |= others[other]
    return Vocabulary(dict(stems), Passage.objects.count())


def _has_a_word(concept: Concept, stems: dict[str, dict[str, int]]) -> bool:
    return concept.word in stems or any(
        all(word in stems for word in phrase) for phrase in concept.others
    )


def _candidates(ways: list[list[Way]]) -> list[Candidate]:
    """The most promising passages with their counts, from the index."""
    drivers = _drivers(ways)
    asked = {stem for way in _flat(ways) for stems in way.words for stem in stems}
    rows = _rows(
        "SELECT passage_id, length, lexemes, counts"
        " FROM knowledge_candidates(%s::text[], %s::integer[], %s::real[], %s::text[], %s)",
        [*map(list, zip(*drivers, strict=True)), sorted(asked), MOST_CANDIDATES],
    )
    return [Candidate(row[0], row[1], dict(zip(row[2], row[3], strict=True))) for row in rows]


def _drivers(ways: list[list[Way]]) -> list[tuple[str, int, float]]:
    """Stem, number of its concept and worth of what to look up: the worthiest until the budget is spent.

    A word of nearly all passages finds nothing that a rarer one does not; it only costs.
    """
    worths: dict[tuple[str, int], float] = {}
    for group, concept in enumerate(ways):
        for way in concept:
            for stems in way.words:
                for stem in stems:
                    worth = way.worth / len(way.words)
                    worths[stem, group] = max(worth, worths.get((stem, group), 0.0))
    best = sorted(worths.items(), key=lambda item: (-item[1], item[0]))
    return [(stem, group, worth) for (stem, group), worth in best]


def _flat(ways: list[list[Way]]) -> Iterator[Way]:
    for concept in ways:
        yield from concept


def _ranked(candidates: list[Candidate], ways: list[list[Way]]) -> list[tuple[float, Passage]]:
    """Scored passages, best first; copies of better ones behind."""
    by_id = Passage.objects.select_related("article").in_bulk(
        [candidate.passage_id for candidate in candidates]
    )
    scored = [
        (score(candidate, ways, outdated=passage.article.outdated), passage)
        for candidate in candidates
        if (passage := by_id.get(candidate.passage_id))
    ]
    scored.sort(key=_best_first)
    return sorted(_copies_lowered(scored), key=_best_first)


def _copies_lowered(
    scored: Iterable[tuple[float, Passage]],
) -> Iterator[tuple[float, Passage]]:
    originals: list[tuple[UUID, set[str]]] = []
    for points, passage in scored:
        words = set(passage.words)
        if any(
            article != passage.article_id and _share(words, others) >= COPY_SHARE
            for article, others in originals
        ):
            yield points * COPY, passage
        else:
            originals.append((passage.article_id, words))
            yield points, passage


def _share(words: set[str], others: set[str]) -> float:
    return len(words & others) / max(1, len(words | others))


def _best_first(scored: tuple[float, Passage]) -> tuple[float, str, int]:
    points, passage = scored
    return -points, passage.article.source or passage.article.title, passage.ordinal


def _rows(sql: str, parameters: list[object]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()
