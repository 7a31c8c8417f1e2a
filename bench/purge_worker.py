"""The bulk worker of the benchmark: carries out a tenant's round of retention, in its own process.

    python -m bench.purge_worker TENANT

Prints the seconds that marking and purging took.
"""

import json
import sys
import time
from uuid import UUID

import django

django.setup()

from conversations.models import RetentionRound
from conversations.retained import retained
from conversations.services.retention_rounds import restart, step
from tenants.scoping import tenant_scope


def main() -> None:
    tenant_id = UUID(sys.argv[1])
    with tenant_scope(tenant_id):
        restart()
    began = time.perf_counter()
    marked, steps = 0.0, 0
    going = True
    while going:
        with tenant_scope(tenant_id):
            going = step()
            steps += 1
            if not marked and RetentionRound.objects.get().place >= len(retained()):
                marked = time.perf_counter() - began
    purged = time.perf_counter() - began - marked
    print(json.dumps({"marked": marked, "purged": purged, "steps": steps}))


if __name__ == "__main__":
    main()
