"""`./desk manage import_tenant --tenant SLUG FILE`: an export of a whole workspace into a new one.

The workspace is there and empty (`create_tenant`). Accounts that do not exist here are made without
a password: invite the people, and they choose one. Keys, model keys and widget keys are made anew.
"""

from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from django.core.management.base import BaseCommand, CommandError, CommandParser

from conversations.services.tenant_importing import import_tenant
from tenants.access import tenant_by_slug
from tenants.errors import DeskError
from tenants.scoping import tenant_scope


class Command(BaseCommand):
    """Goes on where it was when it is begun again with the same file."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="its part of the address: /t/<slug>/")
        parser.add_argument("file", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            tenant = tenant_by_slug(options["tenant"])
            scope = partial(tenant_scope, tenant.id)
            counts = import_tenant(options["file"], scope=scope, progress=self._say)
        except DeskError as error:
            raise CommandError(error.detail) from error
        except (OSError, BadZipFile) as error:
            raise CommandError(f"{options['file']} cannot be read as a zip: {error}") from error
        self.stdout.write(f"Imported {sum(counts.values())} rows into {tenant.slug}.")

    def _say(self, table: str, rows: int) -> None:
        self.stdout.write(f"{table}: {rows}")
