"""Keys are shown once, kept sealed or hashed, and end at once."""

import psycopg
import pytest

from tenants import access
from tenants.crypto import WIDGET_KEY, new_token
from tenants.errors import InvalidInput, NotFound, Unauthenticated
from tenants.models import Actor, ApiKey, Tenant, User
from tenants.origins import clean_origins, origin_allowed
from tenants.services import keys
from tests.support.queries import as_backup, at_most

SHOP = "https://shop.example.com"


def test_a_widget_key_opens_its_own_tenant_only(acme, globex, alice):
    with acme.scope():
        key, secret = keys.create_widget_key(label="Shop", by=alice, allowed_origins=[SHOP])
        assert access.widget_key(key.key).tenant == acme.tenant
        assert keys.identity_secret(key) == secret
    with globex.scope(), pytest.raises(NotFound):
        access.widget_key(key.key)


def test_a_widget_key_switched_off_or_made_up_opens_nothing(acme, alice):
    with acme.scope():
        key, _ = keys.create_widget_key(label="Shop", by=alice)
        keys.change_widget_key(
            key,
            label="Shop",
            allowed_origins=[],
            identity_required=False,
            active=False,
            by=alice,
        )
        for text in (key.key, new_token(WIDGET_KEY, acme.tenant.id), "nonsense", ""):
            with pytest.raises(NotFound):
                access.widget_key(text)


def test_a_rotated_secret_replaces_the_old_one(acme, alice):
    with acme.scope():
        key, old = keys.create_widget_key(label="Shop", by=alice)
        new = keys.rotate_identity_secret(key, by=alice)
        assert new != old
        assert keys.identity_secret(access.widget_key(key.key)) == new


def test_an_api_key_acts_for_its_member_until_it_is_revoked(acme, globex, bob):
    with acme.scope():
        key, token = keys.create_api_key(bob, label="script")
        assert access.member_for_api_key(token) == bob
    with globex.scope(), pytest.raises(Unauthenticated):
        access.member_for_api_key(token)
    with acme.scope():
        keys.revoke_api_key(key, by=bob)
        keys.revoke_api_key(key, by=bob)
        with pytest.raises(Unauthenticated):
            access.member_for_api_key(token)


def test_a_key_ends_with_the_account_and_with_the_tenant(acme, bob):
    with acme.scope():
        _, token = keys.create_api_key(bob, label="script")
        User.objects.filter(id=bob.user_id).update(is_active=False)
        with pytest.raises(Unauthenticated):
            access.member_for_api_key(token)
        User.objects.filter(id=bob.user_id).update(is_active=True)
        Tenant.objects.filter(id=acme.tenant.id).update(status=Tenant.Status.CLOSED)
        with pytest.raises(Unauthenticated):
            access.member_for_api_key(token)


def test_use_is_noted_to_the_minute(acme, bob):
    with acme.scope():
        _, token = keys.create_api_key(bob, label="script")
        keys.note_use(token)
        first = ApiKey.objects.get().last_used_at
        keys.note_use(token)
        assert first is not None
        assert ApiKey.objects.get().last_used_at == first


def test_finding_a_member_by_key_is_one_query(acme, bob):
    with acme.scope():
        _, token = keys.create_api_key(bob, label="script")
        with at_most(1):
            member = access.member_for_api_key(token)
            assert (member.name, member.tenant.slug) == ("Bob", "acme")


@pytest.mark.django_db(transaction=True)
def test_no_secret_stands_in_the_database(acme, alice):
    with acme.scope():
        _, secret = keys.create_widget_key(label="Shop", by=Actor.SYSTEM)
        _, token = keys.create_api_key(alice, label="script")
    with psycopg.connect(as_backup()) as backup:
        for table in ("tenants_widgetkey", "tenants_apikey", "tenants_auditentry"):
            rows = backup.execute(f"SELECT t::text FROM {table} t").fetchall()
            assert not [row for (row,) in rows if secret in row or token in row]
            hexed = (secret.encode().hex(), token.encode().hex())
            assert not [row for (row,) in rows if hexed[0] in row or hexed[1] in row]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([SHOP], [SHOP]),
        (["HTTPS://Shop.Example.com/", SHOP, " "], [SHOP]),
        (["https://shop.example.com:443"], [SHOP]),
        (["http://127.0.0.1:*", "http://[::1]:8000"], ["http://127.0.0.1:*", "http://[::1]:8000"]),
    ],
)
def test_origins_are_kept_as_browsers_send_them(given, kept):
    assert clean_origins(given) == kept


@pytest.mark.parametrize(
    "bad",
    ["*", "shop.example.com", "https://*.example.com", "https://a.example.com/path", "null",
     "https://u:p@a.example.com", "ftp://a.example.com", "https://a.example.com.", "https://ä.de",
     "https://a.example.com?x", "javascript:alert(1)", "https://a_b.example.com"],
)  # fmt: skip
def test_what_is_no_origin_is_refused_by_name(bad):
    with pytest.raises(InvalidInput) as refused:
        clean_origins([bad])
    assert bad in refused.value.errors["allowed_origins"][0]


@pytest.mark.parametrize(
    ("origin", "allowed", "answer"),
    [
        (SHOP, [SHOP], True),
        ("https://shop.example.com:8443", [SHOP], False),
        ("https://shop.example.com:8443", [f"{SHOP}:*"], True),
        (SHOP, [f"{SHOP}:*"], True),
        ("https://evil-shop.example.com", [SHOP], False),
        ("https://shop.example.com.evil.org", [SHOP], False),
        ("http://shop.example.com", [SHOP], False),
        ("https://SHOP.example.com", [SHOP], False),
        ("https://shop.example.com.", [SHOP], False),
        ("https://shop.example.com:*", [f"{SHOP}:*"], False),
        ("null", [SHOP], False),
        ("", [SHOP], False),
    ],
)
def test_an_origin_is_matched_letter_by_letter(origin, allowed, answer):
    assert origin_allowed(origin, allowed) is answer
