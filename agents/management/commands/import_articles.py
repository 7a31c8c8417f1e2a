"""Import knowledge: `./desk manage import_articles --tenant SLUG PATH`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.services.articles import import_articles
from tenants.errors import InvalidInput
from tenants.models import Tenant
from tenants.scoping import tenant_scope


class Command(BaseCommand):
    """Imports a folder; the folder's name is the import source unless another is given."""

    help = (
        "Makes a tenant's knowledge equal to a folder of Markdown pages. Run it again after a"
        " change: only changed pages are read anew, and only vanished pages of the same import"
        " source are deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="the folder that holds the pages (*.md)")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument(
            "--name", default="", help="import source; the folder's name by default"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant “{options['tenant']}”.")
        folder: Path = options["path"]
        progress = self.stdout.write if options["verbosity"] > 1 else lambda _line: None
        try:
            with tenant_scope(tenant.id):
                report = import_articles(
                    folder,
                    import_source=options["name"] or folder.resolve().name,
                    progress=progress,
                )
        except InvalidInput as error:
            raise CommandError(error.detail) from error
        self.stdout.write(
            f"{report.created} created, {report.updated} updated, {report.unchanged} unchanged,"
            f" {report.deleted} deleted;"
            f" {report.indexed:,} of {report.characters:,} characters indexed."
        )
