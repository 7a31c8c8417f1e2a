"""Points a tenant's agent at a model: the operator's command."""

import os
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.models import AgentProfile, Api
from agents.services.endpoints import EndpointSettings, set_endpoint
from tenants.errors import DeskError
from tenants.models import Tenant
from tenants.scoping import tenant_scope


class Command(BaseCommand):
    """`set_endpoint --tenant SLUG --api API --model NAME [--base-url URL] [--key-env VAR] …`."""

    help = (
        "Set the model that answers a tenant's customers, from the next turn on. Works without a"
        " key; a key is read from the variable that --key-env names, and from nowhere else."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--api", required=True, choices=Api.values)
        parser.add_argument("--base-url", default="", metavar="URL")
        parser.add_argument("--model", default="", metavar="NAME")
        parser.add_argument("--key-env", default="", metavar="VAR")
        parser.add_argument("--input-price", type=_price, metavar="PER_MILLION_TOKENS")
        parser.add_argument("--output-price", type=_price, metavar="PER_MILLION_TOKENS")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError(
                f"There is no tenant {options['tenant']!r}. Check the spelling of --tenant."
            )
        settings = _settings(options)
        try:
            with tenant_scope(tenant.id):
                profile = set_endpoint(settings, trusted=True)
        except DeskError as refusal:
            raise CommandError(refusal.detail) from refusal
        self.stdout.write(self.style.SUCCESS(_report(tenant, settings, profile)))


def _settings(options: dict[str, Any]) -> EndpointSettings:
    model = options["model"]
    if options["api"] == Api.OFFLINE:
        model = model or "offline"
    return EndpointSettings(
        api=options["api"],
        model=model,
        base_url=options["base_url"],
        key=_key(options["key_env"]),
        input_price=options["input_price"],
        output_price=options["output_price"],
    )


def _key(variable: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise CommandError(f"The variable {variable} is not set. Set it, or leave out --key-env.")
    return key


def _price(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise CommandError(f"{text!r} is no price. Give money per million tokens: 0.25.") from None


def _report(tenant: Tenant, settings: EndpointSettings, profile: AgentProfile) -> str:
    where = f" at {settings.base_url}" if settings.base_url else ""
    key = "with a key" if settings.key else "without a key"
    return (
        f"{tenant.slug}: {tenant.agent_name} (version {profile.version}) now answers with"
        f" {settings.model} by {settings.api}{where}, {key}, from the next turn on."
        f" Tools: {', '.join(profile.tools) or 'none'}."
    )
