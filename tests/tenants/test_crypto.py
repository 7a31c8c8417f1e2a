"""Secrets open in their own tenant and field only; tokens name their tenant and nothing else."""

from base64 import urlsafe_b64encode
from uuid import UUID, uuid4

import pytest

from tenants import crypto
from tenants.models import Tenant
from tenants.scoping import NoTenantScope, tenant_scope

pytestmark = pytest.mark.django_db

FIELD = "model_endpoint.key"


def a_key(byte: bytes) -> str:
    return urlsafe_b64encode(byte * 32).decode()


@pytest.fixture
def tenant_ids() -> list[UUID]:
    return [Tenant.objects.create(slug=slug, name=slug).id for slug in ("acme", "globex")]


def test_a_secret_comes_back_and_stands_nowhere_in_the_cipher(tenant_ids):
    with tenant_scope(tenant_ids[0]):
        cipher = crypto.encrypt("sk-canary-ü", field=FIELD)

        assert crypto.decrypt(cipher, field=FIELD) == "sk-canary-ü"
        assert crypto.decrypt(memoryview(cipher), field=FIELD) == "sk-canary-ü"
        assert b"canary" not in cipher
        assert cipher != crypto.encrypt("sk-canary-ü", field=FIELD)


def test_a_cipher_copied_to_another_tenant_or_field_does_not_open(tenant_ids):
    with tenant_scope(tenant_ids[0]):
        cipher = crypto.encrypt("secret", field=FIELD)
        with pytest.raises(crypto.CannotDecrypt):
            crypto.decrypt(cipher, field="widget_key.identity_secret")
    with tenant_scope(tenant_ids[1]), pytest.raises(crypto.CannotDecrypt):
        crypto.decrypt(cipher, field=FIELD)


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 40])
def test_damaged_bytes_do_not_open(tenant_ids, damage):
    with tenant_scope(tenant_ids[0]), pytest.raises(crypto.CannotDecrypt):
        crypto.decrypt(damage, field=FIELD)


def test_keys_rotate_while_old_ciphers_stay_readable(tenant_ids, settings):
    settings.ENCRYPTION_KEYS = [a_key(b"1")]
    with tenant_scope(tenant_ids[0]):
        old = crypto.encrypt("secret", field=FIELD)
        settings.ENCRYPTION_KEYS = [a_key(b"2"), a_key(b"1")]
        new = crypto.encrypt("secret", field=FIELD)
        assert crypto.decrypt(old, field=FIELD) == "secret"

        settings.ENCRYPTION_KEYS = [a_key(b"2")]
        assert crypto.decrypt(new, field=FIELD) == "secret"
        with pytest.raises(crypto.CannotDecrypt):
            crypto.decrypt(old, field=FIELD)


def test_nothing_is_sealed_outside_a_scope():
    with pytest.raises(NoTenantScope):
        crypto.encrypt("secret", field=FIELD)


def test_a_token_names_its_tenant():
    tenant_id = uuid4()
    token = crypto.new_token(crypto.API_KEY, tenant_id)

    assert crypto.parse_token(token, crypto.API_KEY) == tenant_id
    assert crypto.parse_token(token, crypto.WIDGET_KEY) is None
    assert len(crypto.hash_token(token)) == 32
    assert token.endswith(crypto.secret_start(token) + token[-35:])


@pytest.mark.parametrize(
    "token",
    ["", "ak", "ak_", "ak__", "ak_" + "z" * 32 + "_" + "x" * 43, "ak_" + "0" * 32 + "_short",
     "ak_" + "0" * 32 + "_" + "ü" * 43, "ak_" + "0" * 31 + "²_" + "x" * 43, "\0" * 79],
)  # fmt: skip
def test_anything_else_is_no_token(token):
    assert crypto.parse_token(token, crypto.API_KEY) is None
