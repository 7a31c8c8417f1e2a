"""A specialist of the demo shop's agent, with a scripted model of its own."""

from contextlib import asynccontextmanager
from decimal import Decimal

from agents.models import ModelEndpoint, Turn
from agents.runtime.runner import run_turn
from agents.services.contract import ClaimedTurn, TurnError
from agents.services.failing import fail_turn
from agents.services.profiles import current_profile, publish_profile, settings_of
from agents.services.specialists import SpecialistValues, add_specialist
from agents.services.turns import claim
from tests.support.scripted import Say, ScriptedChatClient

ASK = Say(calls=[("orders_expert", {"task": "Where is order 1001?"})])
TOLD = Say(text="The agent tells the customer.")
NAMES = ("look_up_order", "refund_order", "change_address", "search_knowledge")


class Models:
    """One scripted model for the agent, another for the specialist, told apart by their names."""

    def __init__(self, agent, specialist):
        self.agent = ScriptedChatClient(*agent)
        self.expert = ScriptedChatClient(*specialist)
        self.opened_specs = []

    @asynccontextmanager
    async def opened(self, spec):
        self.opened_specs.append(spec)
        yield self.expert if spec.model == "expert-1" else self.agent


def hire(shop, *, name="orders_expert", tools=(), **more):
    """A specialist that the published agent may ask."""
    endpoint, _ = ModelEndpoint.objects.get_or_create(
        name="Expert",
        defaults={
            "api": "offline", "model": "expert-1", "trusted": True,
            "input_price": Decimal(2), "output_price": Decimal(8),
        },
    )  # fmt: skip
    endpoint = more.pop("endpoint", endpoint)
    values = SpecialistValues(name, "Knows orders.", tools=tools, **more)
    row = add_specialist(values, endpoint=endpoint, taken=(), tools=NAMES, by=shop.alice)
    now = current_profile()
    assert now is not None
    settings = settings_of(now)
    named = settings.__class__(tools=(*settings.tools, name))
    publish_profile(endpoint=now.endpoint, settings=named)
    return row


def run(shop, agent, specialist, *, line="Where is order 1001?", fail=True):
    """One turn by the real engine; the models and the turn."""
    models = Models(agent, specialist)
    shop.say(line)
    return models, attempt(shop, models)


def attempt(shop, models):
    claimed, calls = claimed_by(shop), []
    try:
        run_turn(claimed, calls=calls, client=models.opened)
    except TurnError as error:
        fail_turn(claimed, error, calls)
    with shop.scope():
        return Turn.objects.get(pk=claimed.turn_id)


def told(models):
    """What the agent's model was told by the tools."""
    return [
        str(content.result)
        for message in models.agent.requests[-1].messages
        for content in message.contents
        if content.type == "function_result"
    ]


def claimed_by(shop) -> ClaimedTurn:
    """The queued turn, in this worker's hands."""
    with shop.scope():
        claimed = claim(shop.queued(), owner="test")
    assert claimed is not None
    return claimed
