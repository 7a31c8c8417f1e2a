"""Choosing the model: the service, the operator's command, and that no other key is ever used."""

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agents.models import AgentProfile, ModelEndpoint
from agents.services.endpoints import EndpointSettings, endpoint_key, set_endpoint
from agents.services.profiles import ProfileSettings, current_profile, publish_profile
from tenants.errors import InvalidInput
from tenants.models import Tenant
from tenants.scoping import tenant_scope

pytestmark = pytest.mark.django_db

URL = "http://127.0.0.1:8000/v1"


@pytest.fixture
def tenant():
    return Tenant.objects.create(slug="acme", name="Acme")


def command(*arguments):
    out = StringIO()
    call_command("set_endpoint", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_makes_a_first_profile_with_the_default_tools(tenant):
    said = command(
        *("--tenant", "acme", "--api", "chat_completions", "--base-url", URL, "--model", "m")
    )
    assert "acme" in said
    assert "without a key" in said
    with tenant_scope(tenant.id):
        profile = current_profile()
        assert profile is not None
        assert (profile.version, profile.tools) == (1, ["search_knowledge", "ask_for_person"])
        assert (profile.endpoint.base_url, profile.endpoint.trusted) == (URL, True)
        assert endpoint_key(profile.endpoint) == ""


def test_a_key_comes_from_the_named_variable_sealed_and_unsaid(tenant, monkeypatch):
    monkeypatch.setenv("ACME_KEY", "sk-acme")
    said = command(
        *("--tenant", "acme", "--api", "messages", "--model", "m", "--key-env", "ACME_KEY"),
        *("--input-price", "0.25", "--output-price", "2"),
    )
    assert "sk-acme" not in said
    with tenant_scope(tenant.id):
        endpoint = ModelEndpoint.objects.get()
        assert endpoint.key_encrypted is not None
        assert b"sk-acme" not in bytes(endpoint.key_encrypted)
        assert endpoint_key(endpoint) == "sk-acme"
        assert (endpoint.input_price, endpoint.output_price) == (Decimal("0.25"), Decimal(2))


def test_a_second_call_keeps_what_the_profile_says_and_drops_the_old_key(tenant, monkeypatch):
    monkeypatch.setenv("ACME_KEY", "sk-acme")
    base = ("--tenant", "acme", "--api", "chat_completions", "--base-url", URL, "--model", "m")
    command(*base, "--key-env", "ACME_KEY")
    with tenant_scope(tenant.id):
        endpoint = ModelEndpoint.objects.get()
        own = ProfileSettings(instructions="Be brief.", tools=("search_knowledge",), window=9)
        publish_profile(endpoint=endpoint, settings=own)
    command(*base)
    with tenant_scope(tenant.id):
        profile = current_profile()
        assert profile is not None
        assert (profile.version, profile.instructions, profile.window) == (3, "Be brief.", 9)
        assert profile.tools == ["search_knowledge"]
        assert endpoint_key(ModelEndpoint.objects.get()) == ""
        assert AgentProfile.objects.filter(retired_at__isnull=True).count() == 1


def test_the_offline_endpoint_needs_no_model_name(tenant):
    assert "offline" in command("--tenant", "acme", "--api", "offline")


def test_two_addresses_of_one_model_are_two_endpoints(tenant):
    with tenant_scope(tenant.id):
        for number in (1, 2):
            set_endpoint(
                EndpointSettings(api="ollama", model="m", base_url=f"http://h{number}"),
                trusted=False,
            )
        names = sorted(ModelEndpoint.objects.values_list("name", flat=True))
        assert names == ["m", "m (2)"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--tenant", "nobody", "--api", "offline"), "no tenant"),
        (("--tenant", "acme", "--api", "offline", "--key-env", "NOT_SET_ANYWHERE"), "not set"),
        (("--tenant", "acme", "--api", "ollama"), "Name the model"),
        (("--tenant", "acme", "--api", "ollama", "--model", "m", "--base-url", "x"), "http"),
        (
            ("--tenant", "acme", "--api", "ollama", "--model", "m", "--input-price", "-1"),
            "negative",
        ),
        (("--tenant", "acme", "--api", "ollama", "--model", "m", "--input-price", "x"), "price"),
    ],
)
def test_mistakes_are_told_and_change_nothing(tenant, arguments, says):
    with pytest.raises(CommandError, match=says):
        command(*arguments)
    with tenant_scope(tenant.id):
        assert current_profile() is None


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://[", "http://h:99999", "//h", "h"])
def test_an_address_that_is_none_is_refused(tenant, url):
    settings = EndpointSettings(api="ollama", model="m", base_url=url)
    with tenant_scope(tenant.id), pytest.raises(InvalidInput) as caught:
        set_endpoint(settings, trusted=False)
    assert "base_url" in caught.value.errors
