"""`./desk manage reapply_erasures`: after a restore, before the doors open."""

from argparse import ArgumentParser
from collections import defaultdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand

from conversations.services.tombstones import list_lines, reapply
from tenants.models import Tenant
from tenants.scoping import tenant_scope


class Command(BaseCommand):
    """Whoever is on the list and back in the database is erased again; prints how many."""

    help = "Erases again whom a restored backup brought back, by the list of erasures."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--list", type=Path, default=Path(settings.ERASURE_LIST), dest="path")

    def handle(self, *_: Any, path: Path, **__: Any) -> None:
        subjects: dict[UUID, set[UUID]] = defaultdict(set)
        for line in list_lines(path):
            subjects[line.tenant].add(line.subject)
        total = 0
        for tenant in Tenant.objects.filter(id__in=subjects):
            with tenant_scope(tenant.id):
                count = reapply(subjects[tenant.id])
            total += count
            self.stdout.write(f"{tenant.slug}: {count} to be erased again")
        self.stdout.write(f"{total} people of {path}. The workers erase them now.")
