"""A stored turn once more, with another version of the agent: read only, side by side."""

from dataclasses import dataclass, replace
from uuid import UUID

from agents.access import turn_for_member
from agents.models import Turn
from agents.runtime.background import key_of
from agents.runtime.clients import ClientFactory
from agents.runtime.playground import Trial, ask, facts_for_trial
from agents.runtime.rebuild import messages_of, told_in
from agents.services.profiles import ALWAYS
from conversations.models import Conversation, CustomerIdentity
from conversations.selectors.lines import written_by
from tenants.errors import Conflict
from tenants.models import Member
from tenants.scoping import tenant_scope


class NothingToCompare(Conflict):
    """The turn names no lines."""

    code = "nothing_to_compare"
    detail = "This turn never asked a model, so there is nothing to ask again. Choose another turn."


@dataclass(frozen=True)
class Stored:
    """What the turn did, as far as a comparison shows it."""

    turn: Turn
    answer: str
    customer_id: UUID
    customer_verified: bool


def stored_turn(member: Member, turn_id: UUID) -> Stored:
    """Read in one short scope; `NotFound` as everywhere, `NothingToCompare` without lines."""
    with tenant_scope(member.tenant.id):
        turn = turn_for_member(member, turn_id)
        if not turn.seen:
            raise NothingToCompare
        talk = Conversation.objects.get(pk=turn.conversation_id)
        said = [row.text for row in written_by(talk.id, turn.id) if row.was_said]
        proven = CustomerIdentity.objects.filter(customer_id=talk.customer_id).exists()
        return Stored(turn, "\n\n".join(said), talk.customer_id, proven)


def compare(
    member: Member, stored: Stored, version: UUID | None, *, client: ClientFactory | None = None
) -> Trial:
    """The same lines with a version, or with the draft for None; only the model calls are booked.

    Tools that only read do read, as things are today; the others say what they would have done.
    """
    facts = facts_for_trial(member, version, verified=stored.customer_verified)
    facts = replace(facts, customer_id=stored.customer_id)
    with tenant_scope(member.tenant.id):
        sources = {*facts.context, *ALWAYS}
        told = tuple(one for one in told_in(stored.turn) if one.source in sources)
        facts = replace(facts, told=told, fence=key_of(stored.turn.conversation_id))
        messages = messages_of(stored.turn, vendor=facts.client.vendor)
    return ask(member, facts, messages, client=client, about=stored.turn.conversation_id)
