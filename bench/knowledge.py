"""Asks every question of a JSONL file through the real search, and prints how often the right page comes first.

    ./desk manage import_articles --tenant SLUG PAGES
    ./desk manage shell -c "…"   or, on a server of one's own:
    DJANGO_SETTINGS_MODULE=config.settings python -m bench.knowledge SLUG questions.jsonl [predictions.jsonl]

A row: {"id", "kind", "question", "history": [{"role", "text"}], "answerable", "expected": [{"page"}]}; `page` is an
article's source. With --time it also prints how long a search took.
"""

import argparse
import json
import statistics
import time
from collections import defaultdict
from pathlib import Path

import django

django.setup()

from agents.selectors.knowledge import search_knowledge
from tenants.models import Tenant
from tenants.scoping import tenant_scope

ALL = 200


def main():
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
        started = time.perf_counter()
        with tenant_scope(tenant.id):
            predictions.append(predict(row))
        seconds.append(time.perf_counter() - started)
    if options.predictions:
        lines = [json.dumps(prediction, ensure_ascii=False) for prediction in predictions]
        options.predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(rows, predictions)
    print(
        f"one search: median {statistics.median(seconds) * 1e3:.1f} ms, longest {max(seconds) * 1e3:.1f} ms"
    )


def predict(row):
    said = [line["text"] for line in row.get("history") or [] if line["role"] == "customer"]
    answer = search_knowledge(row["question"], previous=said[-1] if said else "", limit=ALL)
    return {
        "id": row["id"],
        "pages": list(dict.fromkeys(found.source for found in answer.results)),
        "sections": [[found.source, found.heading] for found in answer.results[:10]],
        "abstained": not answer.sufficient,
        "score": answer.results[0].score if answer.results else 0.0,
    }


def report(rows, predictions):
    by_kind = defaultdict(list)
    silent = {True: [], False: []}
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
            f"  MRR {statistics.fmean(1 / r if r else 0 for r in ranks):.2f}"
        )
    print(
        f"abstained: {share(silent[False]):.2f} of unanswerable, {share(silent[True]):.2f} of answerable"
    )


def first_hit(pages, expected):
    return next((rank for rank, page in enumerate(pages, 1) if page in expected), 0)


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags) if flags else 0.0


if __name__ == "__main__":
    main()
