"""A quick round of every benchmark but the peers': is all still as it was?

    python -m bench [--full]

Each stands alone as well: python -m bench.history, bench.concurrent, bench.agent_run,
bench.pipeline, bench.streams, bench.inbox, bench.erasure,
bench.purge, bench.peers.
"""

import argparse

from bench import agent_run, concurrent, erasure, harness, history, inbox, pipeline, purge, streams
from bench.measure import Size

_ALL = (history, concurrent, agent_run, inbox, pipeline, streams, erasure, purge)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="as long as the single ones: minutes")
    options = parser.parse_args()
    print(harness.machine(), end="\n\n")
    for benchmark in _ALL:
        for table in benchmark.run(Size.of(quick=not options.full)):
            print(table, flush=True)
    print(harness.machine())


if __name__ == "__main__":
    main()
