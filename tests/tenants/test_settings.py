"""The settings page: what customers see of a tenant."""

from decimal import Decimal

import pytest

from tenants.models import AuditEntry, Tenant
from tenants.scoping import tenant_scope

pytestmark = pytest.mark.django_db

GOOD = {
    "name": "Acme",
    "agent_name": "Ava",
    "agent_mode": "off",
    "greeting": "مرحبا! 👋",
    "hours": "",
    "locale": "ar",
    "time_zone": "Pacific/Auckland",
    "colour": "#aa3300",
    "link_hosts": "help.example.com\nshop.example.com",
    "approval_limit": "80.50",
    "approval_hours": "8",
}


@pytest.fixture
def post(alice, browser_of):
    return lambda **changes: browser_of(alice).post("/t/acme/settings/", {**GOOD, **changes})


def test_it_stores_what_was_changed_and_audits_the_names_of_the_fields(post):
    assert post().status_code == 302

    tenant = Tenant.objects.get(slug="acme")
    assert (tenant.agent_mode, tenant.greeting) == ("off", "مرحبا! 👋")
    assert (tenant.approval_limit, tenant.approval_hours) == (Decimal("80.50"), 8)
    assert tenant.link_hosts == ["help.example.com", "shop.example.com"]
    with tenant_scope(tenant.id):
        entry = AuditEntry.objects.get(action="tenant.settings_changed")
    assert "greeting" in entry.detail["fields"]
    assert "مرحبا" not in str(entry.detail)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("colour", "red"),
        ("time_zone", "Mars/Base"),
        ("link_hosts", "http://x"),
        ("greeting", ""),
        ("approval_hours", "0"),
        ("approval_limit", "-1"),
    ],
)
def test_a_bad_value_is_refused_by_its_field(post, field, value):
    answer = post(**{field: value})

    assert answer.status_code == 422
    assert field in answer.context["form"].errors
