"""The search over the tenant's knowledge."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from agents.knowledge import floor
from agents.knowledge.concepts import CORRECTED, Concept, concepts
from agents.knowledge.excerpts import excerpt
from agents.knowledge.ranking import Candidate, Vocabulary, Way, drivers, score, ways_of, worths
from agents.knowledge.thesaurus import root
from agents.knowledge.typos import corrections, may_be_mistyped
from agents.models import Passage

# What the database looks up and what Python weighs; both bound the time of one search.
MOST_LOOKUPS = 2_500
MOST_CANDIDATES = 100
# A passage that shares this much of its words with a better one on another page is its copy, …
COPY_SHARE = 0.6
# … and so much of its score is left, so that three versions of a page do not fill the first three
# places.
COPY = 0.7
MOST_COMPARED = 25

Scored = tuple[float, Candidate]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that may answer; `score` is comparable between questions (knowledge/floor.py)."""

    article_id: UUID
    title: str
    source: str
    heading: str
    excerpt: str
    text: str
    score: float
    passage_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """All passages found, best first, and whether the best is good enough to answer from."""

    results: list[Found]
    sufficient: bool


def search_knowledge(
    query: str, *, previous: str | None = None, limit: int = 10
) -> KnowledgeAnswer:
    """The open scope's passages for a customer's question, the best `limit`, best first.

    `previous` is the customer's line before it: "and for two?" means nothing alone. Every
    character of both is taken literally. Weak passages come back too; whether to answer from
    what came is `sufficient`.
    """
    size = Passage.objects.count()
    asked = concepts(query, previous or "")
    known = _vocabulary(asked, size)
    ways = ways_of(asked, known)
    if not any(ways):
        return KnowledgeAnswer([], sufficient=False)
    ranked = _ranked(_candidates(ways, known), ways)[: max(limit, 1)]
    results = _found(ranked, asked, floor.par(worths(ways, known), known.rarest))
    return KnowledgeAnswer(results, bool(results) and floor.sufficient(results[0].score))


def _vocabulary(asked: list[Concept], size: int) -> Vocabulary:
    """The tenant's words for the concepts; where it has none, what the customer may have meant."""
    stems: dict[str, dict[str, int]] = defaultdict(dict)
    wanted = sorted(set[str]().union(*(concept.words() for concept in asked)))
    for word, lexeme, passages in _rows("SELECT * FROM knowledge_words(%s::text[])", [wanted]):
        stems[word][lexeme] = passages
    unknown = {
        concept.word: concept
        for concept in asked
        if not _has_a_word(concept, stems) and may_be_mistyped(concept.word)
    }
    near: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    if unknown:
        sql = "SELECT * FROM knowledge_neighbours(%s::text[])"
        for word, other, lexeme, passages in _rows(sql, [sorted(unknown)]):
            near[word][other][lexeme] = passages
    for word, others in near.items():
        for other in corrections(word, others):
            unknown[word].offer((other,), CORRECTED)
            stems[other] |= others[other]
    return Vocabulary(dict(stems), size)


def _has_a_word(concept: Concept, stems: dict[str, dict[str, int]]) -> bool:
    return concept.word in stems or any(
        all(word in stems for word in phrase) for phrase in concept.others
    )


def _candidates(ways: list[list[Way]], known: Vocabulary) -> list[Candidate]:
    """The most promising passages with their counts, from the index."""
    lookups = zip(*drivers(ways, known, MOST_LOOKUPS), strict=True)
    asked = {stem for concept in ways for way in concept for stems in way.words for stem in stems}
    rows = _rows(
        "SELECT passage_id, article_id, length, outdated, lexemes, counts FROM"
        " knowledge_candidates(%s::text[], %s::integer[], %s::real[], %s::text[], %s)",
        [*map(list, lookups), sorted(asked), MOST_CANDIDATES],
    )
    return [
        Candidate(passage_id, article_id, length, outdated, dict(zip(lexemes, counts, strict=True)))
        for passage_id, article_id, length, outdated, lexemes, counts in rows
    ]


def _ranked(candidates: list[Candidate], ways: list[list[Way]]) -> list[Scored]:
    """Best first; copies of better ones behind."""
    scored = [(score(candidate, ways), candidate) for candidate in candidates]
    scored.sort(key=_best_first)
    return sorted(_copies_lowered(scored), key=_best_first)


def _copies_lowered(scored: list[Scored]) -> Iterator[Scored]:
    compared = scored[:MOST_COMPARED]
    first = [candidate.passage_id for _, candidate in compared]
    rows = Passage.objects.filter(id__in=first).values_list("id", "words")
    words = {passage_id: frozenset(said) for passage_id, said in rows}
    originals: list[tuple[UUID, frozenset[str]]] = []
    for points, candidate in compared:
        mine = words.get(candidate.passage_id, frozenset())
        others = (other for article, other in originals if article != candidate.article_id)
        if any(_is_copy(mine, other) for other in others):
            yield points * COPY, candidate
        else:
            originals.append((candidate.article_id, mine))
            yield points, candidate
    yield from scored[MOST_COMPARED:]


def _is_copy(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= COPY_SHARE * (len(one) + len(other) - shared)


def _best_first(scored: Scored) -> tuple[float, UUID]:
    return -scored[0], scored[1].passage_id


def _found(ranked: list[Scored], asked: list[Concept], perfect: float) -> list[Found]:
    rows = Passage.objects.select_related("article").defer("article__body", "words", "search")
    passages = rows.in_bulk([candidate.passage_id for _, candidate in ranked])
    roots = {root(word) for concept in asked for word in concept.words()}
    return [
        Found(
            article_id=passage.article_id,
            title=passage.article.title,
            source=passage.article.source,
            heading=passage.heading,
            excerpt=excerpt(passage.text, roots),
            text=passage.text,
            score=round(points / perfect, 4),
            passage_id=passage.id,
        )
        for points, candidate in ranked
        if (passage := passages.get(candidate.passage_id))
    ]


def _rows(sql: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
