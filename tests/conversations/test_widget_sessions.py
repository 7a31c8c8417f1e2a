"""Sessions: who a customer is, and whom nobody can pose as."""

import time
from datetime import timedelta

import jwt
import pytest
from django.utils import timezone

from conversations.models import Conversation, Customer, WidgetToken
from tenants.models import Tenant, WidgetKey
from tests.support.cast import SITE
from tests.support.widget import Widget, signed

pytestmark = pytest.mark.django_db


def test_a_key_starts_an_anonymous_session(cast):
    answer = Widget(cast.acme).start()

    assert answer.status_code == 201
    body = answer.json()
    assert body["token"].startswith(f"wt_{cast.acme.tenant.id.hex}_")
    assert body["customer"]["verified"] is False
    assert set(body["tenant"]) == {"name", "locale", "colour", "greeting", "agent_name", "hours"}
    with cast.acme.scope():
        assert bytes(WidgetToken.objects.get().token_hash) != body["token"].encode()


def test_the_old_token_resumes_the_same_customer(cast):
    widget = Widget(cast.acme)
    first = widget.start().json()

    again = widget.start()

    assert again.status_code == 200
    assert (again.json()["customer"], again.json()["token"]) == (first["customer"], first["token"])


def test_an_old_token_of_another_tenant_is_not_resumed(cast):
    stranger = Widget(cast.globex)
    stranger.start()
    widget = Widget(cast.acme)
    widget.headers["Authorization"] = f"Bearer {stranger.token}"

    assert widget.start().status_code == 201
    assert widget.token.startswith(f"wt_{cast.acme.tenant.id.hex}_")


@pytest.mark.parametrize("key", ["", "nonsense", "wk_" + "0" * 32 + "_" + "a" * 43])
def test_an_unknown_key_opens_nothing(cast, key):
    answer = Widget(cast.acme).post("sessions", {"key": key})

    assert answer.status_code in {400, 401}
    assert answer["Content-Type"] == "application/problem+json"


def test_a_switched_off_key_opens_nothing_and_ends_its_sessions(cast):
    widget = Widget(cast.acme)
    widget.start()
    with cast.acme.scope():
        WidgetKey.objects.update(active=False)

    assert widget.get("conversations").status_code == 401
    assert widget.start(resume=False).json()["code"] == "unknown_key"


def test_a_signed_identity_makes_the_session_that_persons(cast):
    answer = Widget(cast.acme).start(
        identity=signed(
            cast.acme, name="Ada", email="ada@example.org", aud=cast.acme.widget_key.key
        )
    )

    assert answer.json()["customer"]["verified"] is True
    with cast.acme.scope():
        ada = Customer.objects.get(pk=answer.json()["customer"]["id"])
    assert (ada.name, ada.email, ada.email_verified) == ("Ada", "ada@example.org", True)


def test_a_proven_person_sees_their_talks_on_every_device(cast):
    phone, laptop = Widget(cast.acme), Widget(cast.acme)
    phone.start(identity=signed(cast.acme))
    talk = phone.talk()

    laptop.start(identity=signed(cast.acme))

    assert [row["id"] for row in laptop.get("conversations").json()["results"]] == [talk]


def test_anonymous_talks_move_after_proof_and_the_anonymous_token_dies(cast):
    widget = Widget(cast.acme)
    widget.start()
    talk, anonymous = widget.talk(), widget.token

    answer = widget.start(identity=signed(cast.acme))

    assert answer.json()["token"] != anonymous
    assert [row["id"] for row in widget.get("conversations").json()["results"]] == [talk]
    assert widget.say("More", where=talk).status_code == 201
    widget.headers["Authorization"] = f"Bearer {anonymous}"
    assert widget.get("conversations").status_code == 401


def test_the_next_person_at_the_same_computer_sees_nothing_of_the_first(cast):
    widget = Widget(cast.acme)
    widget.start(identity=signed(cast.acme, "ada-1"))
    talk = widget.talk()

    widget.start(identity=signed(cast.acme, "bo-1"))

    assert widget.get("conversations").json()["results"] == []
    assert widget.get(f"conversations/{talk}/messages").status_code == 404


def _unsigned(cast):
    now = int(time.time())
    return jwt.encode({"sub": "ada-1", "exp": now + 60}, "", algorithm="none")


FORGERIES = {
    "empty": lambda cast: "",
    "none-alg": _unsigned,
    "other tenant's key": lambda cast: signed(cast.globex),
    "wrong algorithm": lambda cast: jwt.encode(
        {"sub": "ada-1", "exp": int(time.time()) + 60}, cast.acme.identity_secret * 2, "HS512"
    ),
    "other aud": lambda cast: signed(cast.acme, aud=cast.globex.widget_key.key),
    "list of aud": lambda cast: signed(cast.acme, aud=[cast.acme.widget_key.key]),
    "expired 61 s ago": lambda cast: signed(cast.acme, exp=int(time.time()) - 61),
    "from the future": lambda cast: signed(cast.acme, iat=int(time.time()) + 62),
    "lives too long": lambda cast: signed(cast.acme, exp=int(time.time()) + 3700),
    "no end": lambda cast: signed(cast.acme, exp=None),
    "no subject": lambda cast: signed(cast.acme, None),
    "empty subject": lambda cast: signed(cast.acme, " "),
    "truncated": lambda cast: signed(cast.acme)[:-2],
    "100 KB": lambda cast: signed(cast.acme, name="x" * 100_000),
    "name of another type": lambda cast: signed(cast.acme, name={"a": 1}),
    "NUL in the name": lambda cast: signed(cast.acme, name="A\0da"),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_identity_is_refused_and_touches_nobody(cast, forge):
    Widget(cast.acme).start(identity=signed(cast.acme, name="Ada", email="ada@example.org"))

    answer = Widget(cast.acme).start(identity=forge(cast))

    assert (answer.status_code, answer.json()["code"]) == (401, "identity_invalid")
    with cast.acme.scope():
        assert Customer.objects.filter(name="Ada", email="ada@example.org").count() == 1
        assert Customer.objects.count() == 2  # Ada and the cast's Carol


def test_a_forged_identity_leaves_the_old_session_alive(cast):
    widget = Widget(cast.acme)
    widget.start()
    talk = widget.talk()

    widget.start(identity="forged")

    assert widget.get(f"conversations/{talk}/messages").status_code == 200


def test_a_key_may_demand_identities(cast):
    with cast.acme.scope():
        WidgetKey.objects.update(identity_required=True)

    refused = Widget(cast.acme).start()
    widget = Widget(cast.acme)

    assert (refused.status_code, refused.json()["code"]) == (401, "identity_required")
    assert widget.start(identity=signed(cast.acme)).status_code == 201
    assert widget.start().status_code == 200


def test_anonymous_sessions_end_when_identities_become_mandatory(cast):
    widget = Widget(cast.acme)
    widget.start()
    with cast.acme.scope():
        WidgetKey.objects.update(identity_required=True)

    assert widget.get("conversations").json()["code"] == "identity_required"


def test_the_same_subject_in_two_tenants_is_two_people(cast):
    ours = Widget(cast.acme).start(identity=signed(cast.acme, "cleo-1")).json()
    theirs = Widget(cast.globex).start(identity=signed(cast.globex, "cleo-1")).json()

    assert ours["customer"]["id"] != theirs["customer"]["id"]


def test_two_shops_in_one_browser_stay_apart(cast):
    ours, theirs = Widget(cast.acme), Widget(cast.globex)
    ours.start(), theirs.start()
    talk, other = ours.talk("A"), theirs.talk("B")

    assert [row["id"] for row in ours.get("conversations").json()["results"]] == [talk]
    assert [row["id"] for row in theirs.get("conversations").json()["results"]] == [other]
    assert ours.get(f"conversations/{other}/messages").status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        {"revoked_at": timezone.now()},
        {"expires_at": timezone.now() - timedelta(seconds=1)},
    ],
    ids=["revoked", "expired"],
)
def test_an_ended_token_opens_nothing(cast, change):
    widget = Widget(cast.acme)
    widget.start()
    with cast.acme.scope():
        WidgetToken.objects.update(**change)

    answer = widget.get("conversations")

    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert widget.start().status_code == 201


def test_use_lets_a_token_slide_up_to_thirty_days_after_its_start(cast):
    widget = Widget(cast.acme)
    widget.start()
    soon, old = timezone.now() + timedelta(hours=2), timezone.now() - timedelta(days=29, hours=20)
    with cast.acme.scope():
        WidgetToken.objects.update(expires_at=soon)
        widget.get("conversations")
        assert WidgetToken.objects.get().expires_at > timezone.now() + timedelta(hours=23)
        WidgetToken.objects.update(expires_at=soon, created_at=old)
        widget.get("conversations")
        assert WidgetToken.objects.get().expires_at == old + timedelta(days=30)


def test_a_suspended_tenant_refuses_its_sessions(cast):
    widget = Widget(cast.acme)
    widget.start()
    Tenant.objects.filter(pk=cast.acme.tenant.pk).update(status=Tenant.Status.SUSPENDED)

    answer = widget.get("conversations")

    assert (answer.status_code, answer.json()["code"]) == (403, "tenant_suspended")


def test_a_listed_website_may_read_the_answers(cast):
    widget = Widget(cast.acme, origin=SITE)

    answer = widget.start()

    assert answer["Access-Control-Allow-Origin"] == SITE
    assert "Access-Control-Allow-Credentials" not in answer
    assert widget.get("conversations")["Access-Control-Allow-Origin"] == SITE


def test_the_desks_own_origin_is_always_allowed(cast):
    assert Widget(cast.acme, origin="http://testserver").start().status_code == 201


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil-shop.example.com.evil.example",
        "https://evil-shop.example.com",
        "https://shop.example.com.evil.example",
        "https://shop.example.com:8443",
        "http://shop.example.com",
        "https://SHOP.example.com",
        "https://shop.example.com.",
        "https://shop.example.com/",
        "https://user@shop.example.com",
        "https://xn--shp-hoa.example.com",
        "https://shоp.example.com".encode().decode("latin-1"),
        "*",
    ],
)
def test_other_websites_are_refused(cast, origin):
    widget = Widget(cast.acme)
    widget.start()
    widget.headers["Origin"] = origin

    for answer in (widget.get("conversations"), widget.say(), widget.start()):
        assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")
        assert "Access-Control-Allow-Origin" not in answer
    with cast.acme.scope():
        assert not Conversation.objects.exists()


def test_a_port_wildcard_covers_every_port_of_that_host_only(cast):
    with cast.acme.scope():
        WidgetKey.objects.update(allowed_origins=["http://127.0.0.1:*"])

    assert Widget(cast.acme, origin="http://127.0.0.1:4321").start().status_code == 201
    assert Widget(cast.acme, origin="http://127.0.0.1").start().status_code == 201
    assert Widget(cast.acme, origin="http://127.0.0.1.evil.example:80").start().status_code == 403
    assert Widget(cast.acme, origin="http://127.0.0.1:80x").start().status_code == 403


def test_a_preflight_allows_the_token_header_and_no_credentials(cast):
    answer = Widget(cast.acme).client.options("/widget/v1/conversations", headers={"Origin": SITE})

    assert answer.status_code == 204
    assert answer["Access-Control-Allow-Origin"] == SITE
    assert "authorization" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize(
    ("asked", "line"),
    [("ar-EG,ar;q=0.9,en;q=0.5", "تم"), ("zh-CN,de;q=0.8", "Ein Kollege"), ("xx", "A colleague")],
)
def test_the_desk_speaks_the_language_that_the_browser_asks_for(cast, asked, line):
    widget = Widget(cast.acme)
    widget.headers["Accept-Language"] = asked
    widget.start()
    talk = widget.talk()

    widget.post(f"conversations/{talk}/person", {})

    lines = widget.get(f"conversations/{talk}/messages").json()["results"]
    assert lines[-1]["line"].startswith(line)


def test_facts_that_the_website_signs_for_are_kept_until_it_says_otherwise(cast):
    facts = {"plan": "gold", "seats": 3, "trial": False}
    for given, kept in (({"attributes": facts}, facts), ({}, facts), ({"attributes": {}}, {})):
        answer = Widget(cast.acme).start(identity=signed(cast.acme, **given))
        with cast.acme.scope():
            ada = Customer.objects.get(pk=answer.json()["customer"]["id"])
        assert ada.attributes == kept


@pytest.mark.parametrize(
    "attributes",
    [
        [],
        "gold",
        {"plan": {"name": "gold"}},
        {"plan": None},
        {"": "x"},
        {"plan": "x" * 201},
        {"plan": "two\nlines"},
        {str(number): "x" for number in range(21)},
    ],
)
def test_facts_that_are_not_plain_are_refused(cast, attributes):
    answer = Widget(cast.acme).start(identity=signed(cast.acme, attributes=attributes))
    assert answer.status_code == 401
    with cast.acme.scope():
        assert not Customer.objects.filter(attributes__has_key="plan").exists()
