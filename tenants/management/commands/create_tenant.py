"""Make a tenant and its first owner; for operators, before anybody can sign in."""

from secrets import token_urlsafe
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from tenants.errors import DeskError
from tenants.models import Actor, Role, User
from tenants.scoping import tenant_scope
from tenants.services.members import create_member
from tenants.services.tenants import create_tenant


class Command(BaseCommand):
    """Prints the owner's first password once, when it had to make the account."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slug", required=True, help="its part of the address: /t/<slug>/")
        parser.add_argument("--name", required=True)
        parser.add_argument("--owner-email", required=True)
        parser.add_argument("--owner-name", default="")

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        email = options["owner_email"]
        try:
            tenant = create_tenant(slug=options["slug"], name=options["name"])
            user, password = _account(email, options["owner_name"] or email.partition("@")[0])
            with tenant_scope(tenant.id):
                create_member(user, role=Role.OWNER, by=Actor.SYSTEM)
        except DeskError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"Made {tenant.slug}. Sign in at /login/ as {user.email}.")
        if password:
            self.stdout.write(f"Password (shown once): {password}")


def _account(email: str, name: str) -> tuple[User, str]:
    """The account of this address, and its password if it was made now."""
    known = User.objects.filter(email__iexact=email).first()
    if known is not None:
        return known, ""
    password = token_urlsafe(18)
    return User.objects.create_user(email, password, name=name), password
