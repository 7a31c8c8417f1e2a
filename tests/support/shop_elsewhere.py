"""Run as a process of its own: works off what is queued, with a scripted model."""

import json
import sys
from uuid import UUID

import django

django.setup()

from conversations.models import Customer  # noqa: E402 - after the setup
from tenants.models import Tenant  # noqa: E402 - after the setup
from tests.support.scripted import Say  # noqa: E402 - after the setup
from tests.support.shop import Shop  # noqa: E402 - after the setup

given = json.loads(sys.argv[1])
shop = Shop(
    Tenant.objects.get(pk=UUID(given["tenant"])), Customer(tenant_id=UUID(given["tenant"])), {}
)
shop.work_off(*(Say(text=s["text"], calls=[tuple(c) for c in s["calls"]]) for s in given["script"]))
