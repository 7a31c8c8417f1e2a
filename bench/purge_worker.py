"""The bulk worker of the benchmark: carries out a tenant's round of retention, in its own process.

    python -m bench.purge_worker TENANT

Prints the seconds that marking and purging took.
"""

import json
import sys
import time
from functools import partial
from uuid import UUID

import django

django.setup()

from conversations.models import RetentionRound
from conversations.retained import retained
from conversations.services.retention_rounds import go_on, restart
from tenants.scoping import tenant_scope


def main() -> None:
    tenant_id = UUID(sys.argv[1])
    scope = partial(tenant_scope, tenant_id)
    with scope():
        restart()
    began = time.perf_counter()
    marked = 0.0
    while go_on(scope, seconds=0):
        with scope():
            purging = RetentionRound.objects.get().place >= len(retained())
        if purging:
            marked = time.perf_counter() - began
            break
    while go_on(scope, seconds=5):
        pass
    print(json.dumps({"marked": marked, "purged": time.perf_counter() - began - marked}))


if __name__ == "__main__":
    main()
