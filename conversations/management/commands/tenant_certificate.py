"""`./desk manage tenant_certificate --tenant SLUG`: the proof that a workspace was deleted.

Its people are gone with it, so the operator hands the certificate over.
"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from conversations.selectors.ends import certificate_of_end
from tenants.models import Tenant
from tenants.scoping import tenant_scope


class Command(BaseCommand):
    """Prints the signed file as JSON."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="its part of the address: /t/<slug>/")

    def handle(self, *_args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError("There is no workspace of this address.")
        with tenant_scope(tenant.id):
            certificate = certificate_of_end()
        if certificate is None:
            raise CommandError("This workspace has not been deleted, so there is no certificate.")
        names = ("body", "signature", "public_key")
        self.stdout.write(json.dumps({name: getattr(certificate, name) for name in names}))
