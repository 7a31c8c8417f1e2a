"""Delete the audit records of tenants that ended long ago; run it as desk_owner."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.services.audit_end import NotTheOwner, ended, forget


class Command(BaseCommand):
    """Names what it would delete; deletes it with `--yes`."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="delete, and not only name")

    def handle(self, *_args: Any, **options: Any) -> None:
        days = settings.AUDIT_DAYS_AFTER_END
        try:
            tenants = ended(days=days)
        except NotTheOwner as error:
            raise CommandError(
                "This role may delete no entry. Set TURNSTONE_DB_ROLE=owner for this one command."
            ) from error
        if not tenants:
            self.stdout.write(f"No tenant ended more than {days} days ago and left a record.")
        for tenant in tenants:
            if not options["yes"]:
                self.stdout.write(f"{tenant.slug}: its record is due. Repeat with --yes.")
                continue
            count = 0
            for taken in forget(tenant):
                count += taken
                self.stdout.write(f"{tenant.slug}: {count} entries deleted …")
            self.stdout.write(f"{tenant.slug}: its record is gone.")
