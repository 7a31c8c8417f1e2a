"""Asks every question of a JSONL file through the real search; prints how well it finds the pages.

    ./desk manage import_articles --tenant SLUG PAGES
    python -m bench.knowledge SLUG questions.jsonl [predictions.jsonl]

with DATABASE_URL set and DJANGO_SETTINGS_MODULE=config.settings. A row: {"id", "kind", "question",
"history": [{"role", "text"}], "answerable", "expected": [{"page"}]}; a page is an article's source.
"""

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import django

django.setup()

from agents.selectors.knowledge import search_knowledge
from tenants.models import Tenant
from tenants.scoping import tenant_scope

ALL = 200
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("tenant")
    parser.add_argument("questions", type=Path)
    parser.add_argument("predictions", type=Path, nargs="?")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines() if line]
    tenant = Tenant.objects.get(slug=options.tenant)
    predictions, seconds = [], []
    for row in rows:
        with tenant_scope(tenant.id):
            predictions.append(predict(row))
            started = time.perf_counter()
            search_knowledge(row["question"], limit=5)
            seconds.append(time.perf_counter() - started)
    if options.predictions:
        lines = [json.dumps(prediction, ensure_ascii=False) for prediction in predictions]
        options.predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(rows, predictions)
    print(
        f"one search: median {statistics.median(seconds) * 1e3:.1f} ms,"
        f" longest {max(seconds) * 1e3:.1f} ms"
    )


def predict(row: Row) -> Row:
    said = [line["text"] for line in row.get("history") or [] if line["role"] == "customer"]
    answer = search_knowledge(row["question"], previous=said[-1] if said else "", limit=ALL)
    return {
        "id": row["id"],
        "pages": list(dict.fromkeys(found.source for found in answer.results)),
        "sections": [[found.source, found.heading] for found in answer.results[:10]],
        "abstained": not answer.sufficient,
        "score": answer.results[0].score if answer.results else 0.0,
    }


def report(rows: list[Row], predictions: list[Row]) -> None:
    by_kind: dict[str, list[int]] = defaultdict(list)
    silent: dict[bool, list[bool]] = {True: [], False: []}
    for row, prediction in zip(rows, predictions, strict=True):
        silent[row["answerable"]].append(prediction["abstained"])
        if row["answerable"]:
            rank = first_hit(prediction["pages"], {entry["page"] for entry in row["expected"]})
            for kind in (row["kind"], "all"):
                by_kind[kind].append(rank)
    for kind, ranks in sorted(by_kind.items(), key=lambda item: item[0] == "all"):
        print(
            f"{kind:15} n={len(ranks):3}  hit@1 {share(r == 1 for r in ranks):.2f}"
            f"  hit@3 {share(1 <= r <= 3 for r in ranks):.2f}"
            f"  MRR {statistics.fmean(1 / r if r else 0.0 for r in ranks):.2f}"
        )
    print(
        f"abstained: {share(silent[False]):.2f} of unanswerable,"
        f" {share(silent[True]):.2f} of answerable"
    )


def first_hit(pages: list[str], expected: set[str]) -> int:
    return next((rank for rank, page in enumerate(pages, 1) if page in expected), 0)


def share(flags: Iterable[bool]) -> float:
    seen = list(flags)
    return sum(seen) / len(seen) if seen else 0.0


if __name__ == "__main__":
    main()
