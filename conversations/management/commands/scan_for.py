"""`./desk manage scan_for STRING…`: is anything of these words left in any store?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from conversations.privacy.database import NoBackupRole
from conversations.privacy.needles import TooShort
from conversations.privacy.report import Report
from conversations.privacy.scanner import scan


class Command(BaseCommand):
    """Prints hits per store; exit code 1 when there are any, 2 when a store could not be read."""

    help = "Looks for words in every store: tables, statistics, Redis, files, queued mail."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("words", nargs="+", metavar="STRING")

    def handle(self, *_: Any, words: list[str], **__: Any) -> None:
        try:
            report = scan(words)
        except TooShort as error:
            raise CommandError(
                f"“{error}” is too short to prove anything.", returncode=2
            ) from error
        except NoBackupRole as error:
            raise CommandError(str(error), returncode=2) from error
        self._print(report)
        if report.blind:
            raise CommandError(f"Could not be read: {', '.join(report.blind)}.", returncode=2)
        if report.hits:
            raise CommandError(f"{report.hits} hits.", returncode=1)

    def _print(self, report: Report) -> None:
        for store in report.stores:
            control = "control found" if store.control else "CONTROL NOT FOUND"
            self.stdout.write(f"{store.name}: {store.count} hits in {store.read} read, {control}")
            for where, count in sorted(store.hits.items()):
                self.stdout.write(f"  {where}: {count}")
