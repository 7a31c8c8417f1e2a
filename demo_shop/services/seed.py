"""Two tenants with people of every role, knowledge and talks. Seeding again changes nothing."""

import hashlib
import hmac
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings

from agents.models import AgentProfile
from agents.services.articles import import_articles
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.profiles import publish_profile, settings_of
from agents.services.specialists import SpecialistValues, add_specialist
from conversations.models import FunnelStage, Label
from demo_shop.models import Order
from demo_shop.selectors import SHOP_SLUG
from demo_shop.services.stories import LUMEN, TIDEWATER, Story
from demo_shop.services.tell import tell
from tenants.models import Actor, ApiKey, Member, Role, Tenant, User, WidgetKey
from tenants.scoping import tenant_scope
from tenants.services.keys import create_api_key, create_widget_key, identity_secret
from tenants.services.members import create_member
from tenants.services.tenants import create_tenant

KNOWLEDGE = Path(__file__).resolve().parent.parent / "knowledge"
API_KEY_LABEL = "demo"
SHOP_TOOLS = ("look_up_order", "refund_order", "change_address")
INSTRUCTIONS = """You are Lumi, the helper of Lumen & Oak, a shop for lamps.
Answer in the customer's language, in two or three short sentences, warm and without hype.
Prices are in US dollars. Never promise a delivery date that is not in the order.
Ask the returns expert before you say whether something may be sent back or refunded."""
# The offline model asks nobody: it is there for the model that somebody connects.
RETURNS_EXPERT = SpecialistValues(
    name="returns_expert",
    description="Whether an item may be sent back or refunded, until when, and what it needs.",
    instructions=(
        "You know the rules of returns, damage and warranty. Look them up, name the rule that"
        " decides and the day on which it ends, and say what is still missing."
    ),
    tools=("search_knowledge", "look_up_order"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What one tenant of the demo is made of."""

    slug: str
    name: str
    stories: list[Story]
    people: dict[str, str]
    look: dict[str, Any] = field(default_factory=dict)


PLANS = [
    Plan(
        SHOP_SLUG,
        "Lumen & Oak",
        LUMEN,
        {
            "Olga Reyes": Role.OWNER,
            "Alice Kim": Role.ADMIN,
            "Petra Lang": Role.PRIVACY_OFFICER,
            "Sam Okafor": Role.SUPPORT_AGENT,
            "Ines Duarte": Role.SUPPORT_AGENT,
            "Vera Holm": Role.VIEWER,
        },
        {
            "colour": "#b45309",
            "agent_name": "Lumi",
            "greeting": "Good light starts with a good question. How can we help?",
            "hours": "Mon–Fri 9:00–18:00, Sat 10:00–14:00",
        },
    ),
    Plan(
        "tidewater",
        "Tidewater Tea",
        TIDEWATER,
        {
            "Owen Blake": Role.OWNER,
            "Mika Aalto": Role.ADMIN,
            "Pia Conti": Role.PRIVACY_OFFICER,
            "Ravi Menon": Role.SUPPORT_AGENT,
            "Vince Roy": Role.VIEWER,
        },
        {
            "colour": "#0f766e",
            "agent_name": "Tilly",
            "greeting": "Welcome! Ask us anything about tea.",
            "hours": "Mon–Fri 8:00–16:00",
        },
    ),
]


def seed(plan: Plan) -> dict[str, Any]:
    """Make the tenant unless it is there, and return what demo.json says of it."""
    tenant = Tenant.objects.filter(slug=plan.slug).first()
    if tenant is None:
        tenant = _make(plan)
    with tenant_scope(tenant.id):
        key = WidgetKey.objects.get()
        return {
            "slug": tenant.slug,
            "name": tenant.name,
            "widget_key": key.key,
            "identity_secret": identity_secret(key),
            "members": [_credentials(member) for member in _members()],
        }


def _make(plan: Plan) -> Tenant:
    tenant = create_tenant(slug=plan.slug, name=plan.name, erasure_wait_hours=0, **plan.look)
    with tenant_scope(tenant.id):
        team = {name: _join(name, role, plan) for name, role in plan.people.items()}
        create_widget_key(label="Website", by=Actor.SYSTEM, allowed_origins=_own_origins())
        version = set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)
        import_articles(KNOWLEDGE / plan.slug, import_source="demo")
        _make_funnel()
        if plan.slug == SHOP_SLUG:
            _make_orders()
            _offer_tools(version, by=team["Olga Reyes"])
    for story in plan.stories:
        with tenant_scope(tenant.id):
            tell(story, tenant=tenant, team=list(team.values()))
    return tenant


def _offer_tools(version: AgentProfile, *, by: Member) -> None:
    """The shop's agent may do something with orders, the other tenant's only talks."""
    own, expert = settings_of(version), RETURNS_EXPERT
    add_specialist(expert, endpoint=version.endpoint, taken=(), tools=expert.tools, by=by)
    tools = (*own.tools, *SHOP_TOOLS, expert.name)
    settings = replace(own, instructions=INSTRUCTIONS, tools=tools)
    publish_profile(endpoint=version.endpoint, settings=settings)


def _join(name: str, role: str, plan: Plan) -> Member:
    email = f"{name.split(maxsplit=1)[0].lower()}@{plan.slug}.example.org"
    user = User.objects.create_user(email, _password(email), name=name)
    return create_member(user, role=role, by=None)


def _password(email: str) -> str:
    """The same at every start of one data folder, and of no other."""
    digest = hmac.new(settings.SECRET_KEY.encode(), email.encode(), hashlib.sha256).hexdigest()
    return f"demo-{digest[:4]}-{digest[4:8]}-{digest[8:12]}"


def _credentials(member: Member) -> dict[str, str]:
    # Only hashes of tokens are kept, so each start makes new ones and ends the old.
    ApiKey.objects.filter(member=member, label=API_KEY_LABEL).delete()
    _, token = create_api_key(member, label=API_KEY_LABEL)
    email = member.user.email
    return {
        "email": email,
        "password": _password(email),
        "role": member.role,
        "api_key": token,
    }


def _members() -> list[Member]:
    return list(Member.objects.select_related("user").order_by("id"))


def _own_origins() -> list[str]:
    return ["http://127.0.0.1:*", "http://localhost:*"]


def _make_funnel() -> None:
    names = ["Interest", "Order", "Delivery", "After sale"]
    FunnelStage.objects.bulk_create(
        FunnelStage(name=name, position=place) for place, name in enumerate(names)
    )
    Label.objects.bulk_create(Label(name=name) for name in ["delivery", "damage", "invoice"])


def _make_orders() -> None:
    statuses = [Order.Status.SHIPPED, Order.Status.PAID, Order.Status.SHIPPED, Order.Status.PACKED]
    items = ["Aster desk lamp", "Beacon floor lamp", "Cove wall light"]
    Order.objects.bulk_create(
        Order(
            number=str(1001 + place),
            item=items[place % len(items)],
            status=statuses[place % len(statuses)],
            total=Decimal(59 + 17 * place),
            address=f"{place + 1} Harbour Street, Example Town",
        )
        for place in range(10)
    )
