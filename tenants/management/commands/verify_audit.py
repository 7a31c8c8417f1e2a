"""Check that the audit record is what it was: recompute the hash chain of one tenant, or of all."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.models import Tenant
from tenants.selectors.audit_chain import Broken, Head, verify


class Command(BaseCommand):
    """Exits with 1 at the first break, and names the entry."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="one tenant; default: every one")
        parser.add_argument(
            "--head",
            metavar="SEQ:HASH",
            help="with --tenant: an end that was noted earlier and must still be in the chain",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        tenants = Tenant.objects.order_by("slug")
        if options["tenant"]:
            tenants = tenants.filter(slug=options["tenant"])
        if not tenants:
            raise CommandError(f"No tenant has the slug {options['tenant']}.")
        if options["head"] and not options["tenant"]:
            raise CommandError("Say with --tenant whose head that is.")
        noted = _head(options["head"]) if options["head"] else None
        for tenant in tenants:
            self._verify(tenant, noted)

    def _verify(self, tenant: Tenant, noted: Head | None) -> None:
        head = Head(0, "")
        try:
            for head in verify(tenant.id, noted=noted):
                self.stdout.write(f"{tenant.slug}: {head.seq} entries are as they were …")
        except Broken as broken:
            raise CommandError(f"{tenant.slug}: BROKEN: {broken}.") from broken
        self.stdout.write(f"{tenant.slug}: whole. Head {head.seq}:{head.hash}")


def _head(text: str) -> Head:
    seq, _, value = text.partition(":")
    if not seq.isdecimal():
        raise CommandError("Give --head as this command prints it: 17:9f86d0…")
    return Head(int(seq), value)
