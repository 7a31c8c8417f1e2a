"""The demo shop's agent with a scripted model: the real engine, the real tools, real rows."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import uuid4

from agents.models import Approval, ToolCall, Turn, TurnState
from agents.runtime.runner import run_turn
from agents.services import approvals, leases, turns
from agents.services.contract import TurnError
from agents.services.endpoints import EndpointSettings, set_endpoint
from agents.services.failing import fail_turn
from agents.services.profiles import publish_profile, settings_of
from agents.services.queueing import TURN
from agents.services.usage import MeteredCall
from conversations.models import Conversation, Customer, Event, Message
from conversations.services.messages import post_customer_message, start_conversation
from demo_shop.models import Order, Refund
from demo_shop.services.seed import SHOP_TOOLS
from tenants.due import Work
from tenants.models import Member, Role, Tenant, User
from tenants.scoping import tenant_scope
from tests.support.scripted import Say, ScriptedChatClient

Call = tuple[str, dict[str, Any]]


def refund(order: str = "1001", amount: Any = 20, reason: str = "It came broken.") -> Call:
    return "refund_order", {"order": order, "amount": amount, "reason": reason}


def look_up(order: str = "1001") -> Call:
    return "look_up_order", {"order": order}


@dataclass
class Shop:
    """One tenant with orders 1001 to 1003, a customer, and members by role."""

    tenant: Tenant
    customer: Customer
    members: dict[str, Member]
    requests: list[Any] = field(default_factory=list)
    talk: Any = None

    @classmethod
    def make(cls, slug: str = "lumen", **endpoint: Any) -> "Shop":
        tenant = Tenant.objects.create(slug=slug, name=slug.title(), approval_limit=50)
        given = {"api": "offline", "model": "offline", **endpoint}
        with tenant_scope(tenant.id):
            version = set_endpoint(EndpointSettings(**given), trusted=True)
            tools = (*settings_of(version).tools, *SHOP_TOOLS)
            settings = settings_of(version).__class__(tools=tools)
            publish_profile(endpoint=version.endpoint, settings=settings)
            for number in ("1001", "1002", "1003"):
                Order.objects.create(
                    number=number, item="Lamp", status="paid", total=90, address="1 Old Road"
                )
            members = {str(role): _member(role, slug) for role in (Role.ADMIN, Role.SUPPORT_AGENT)}
            return cls(tenant, Customer.objects.create(name="Ada"), members)

    def scope(self):
        return tenant_scope(self.tenant.id)

    @property
    def bob(self) -> Member:
        return self.members[Role.SUPPORT_AGENT]

    @property
    def alice(self) -> Member:
        return self.members[Role.ADMIN]

    def say(self, text: str) -> None:
        with self.scope():
            if self.talk is None:
                posted = start_conversation(self.customer, client_key=uuid4(), text=text)
                self.talk = posted.conversation
            else:
                post_customer_message(
                    self.talk, customer=self.customer, client_key=uuid4(), text=text
                )

    def work_off(self, *script: Say) -> None:
        """Runs what is queued, as the worker would, with a model that plays the script."""
        self.work_off_with(ScriptedChatClient(*script))

    def work_off_with(self, client: ScriptedChatClient) -> None:
        while (turn_id := self.queued()) is not None:
            work = Work(self.tenant.id, TURN, turn_id)
            with self.scope():
                claimed = turns.claim(turn_id, owner="test")
            if claimed is None:
                leases.settle_unclaimed(work)
                continue
            calls: list[MeteredCall] = []
            try:
                run_turn(claimed, calls=calls, client=client.opened)
            except TurnError as error:
                fail_turn(claimed, error, calls)
        self.requests.extend(client.requests)

    def work_off_elsewhere(self, *script: Say) -> None:
        """The same in a process of its own."""
        says = [{"text": say.text, "calls": say.calls} for say in script]
        given = json.dumps({"tenant": str(self.tenant.id), "script": says})
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.shop_elsewhere", given],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_test"},
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )
        assert done.returncode == 0, done.stderr

    def queued(self):
        with self.scope():
            rows = Turn.objects.filter(state=TurnState.QUEUED)
            return rows.values_list("id", flat=True).first()

    def asked(self) -> list[Approval]:
        with self.scope():
            return list(Approval.objects.order_by("id"))

    def decide(self, approval: Approval, *, approved: bool, by: Member | None = None, comment=""):
        with self.scope():
            return approvals.decide(approval, by=by or self.bob, approved=approved, comment=comment)

    def refunds(self) -> list[tuple[str, Decimal]]:
        with self.scope():
            rows = Refund.objects.select_related("order").order_by("id")
            return [(row.order.number, row.amount) for row in rows]

    def states(self, model: Any) -> list[str]:
        with self.scope():
            return list(model.objects.order_by("id").values_list("state", flat=True))

    def steps(self) -> list[tuple[str, str]]:
        with self.scope():
            return list(ToolCall.objects.order_by("created_at").values_list("name", "state"))

    def said(self) -> list[tuple[str, str]]:
        with self.scope():
            rows = Message.objects.exclude(text="").order_by("seq")
            return list(rows.values_list("role", "text"))

    def events(self) -> list[str]:
        with self.scope():
            return list(Event.objects.order_by("seq").values_list("kind", flat=True))

    def row(self) -> Conversation:
        with self.scope():
            return Conversation.objects.get(pk=self.talk.pk)


def _member(role: str, slug: str) -> Member:
    user = User.objects.create_user(f"{role}@{slug}.example.org", name=role.title())
    return Member.objects.create(user=user, role=role)
