"""Check a certificate's file (JSON, HTML or PDF), offline with a file of public keys."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from conversations.privacy.certificate_file import NoCertificate, Sealed, read
from conversations.privacy.certificate_words import said
from conversations.selectors.certificates import known_keys
from tenants import signing


class Command(BaseCommand):
    """Prints what was signed, for comparison with what the file shows; exits with 1 if it is false.

    With `--keys` it asks no database: save the file from
    /.well-known/turnstone-certificate-keys.json of the desk that issued the certificate.
    """

    help = __doc__
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="certificate-….json, .html or .pdf")
        parser.add_argument("--keys", type=Path, help="public keys; default: this desk's own")

    def handle(self, *_args: Any, **options: Any) -> None:
        certificate = _read(options["file"])
        if not certificate.holds:
            raise CommandError("FALSE: the signature does not fit what the file says.")
        if certificate.public_key not in _known(options["keys"]):
            key = signing.key_id(certificate.public_key)
            raise CommandError(f"FALSE: signed with the key {key}, which is none of that desk's.")
        self._print(certificate)

    def _print(self, certificate: Sealed) -> None:
        words = said(certificate.body, certificate.public_key)
        self.stdout.write(f"TRUE: {words.title}. This was signed; compare it with the file:")
        for label, value in [*words.facts, *words.hashes, *words.proof]:
            self.stdout.write(f"  {label}: {value}")
        for verb, counts in (("found", words.found), ("deleted", words.counts)):
            for store, rows in counts:
                self.stdout.write(f"  {verb}: {store.title} ({store.code}): {rows}")
        for store, seen, hits in words.scan:
            self.stdout.write(f"  scanned: {store.title} ({store.code}): {seen} read, {hits} hits")
        for one in words.remains:
            self.stdout.write(f"  remains: {one.what} ({one.why}), until {one.until}")


def _read(path: Path) -> Sealed:
    try:
        return read(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except NoCertificate as error:
        raise CommandError(f"{path} carries no certificate.") from error


def _known(path: Path | None) -> set[str]:
    if path is None:
        return {key.public_key for key in known_keys()}
    try:
        return {key["public_key"] for key in json.loads(path.read_bytes())["keys"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path} is no file of public keys.") from error
