"""The ids by which a model's service goes on with what it keeps itself; an option, off by default.

Own rows stay whole beside it. Every doubt breaks the seals of the conversation's ids, and the next
turn sends the rows again: words that were changed, an answer written anew, an agent's line that the
service does not know, another address. The ids stay until the conversation is erased, for they say
what the provider keeps.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.utils.crypto import constant_time_compare, salted_hmac

from agents.models import ModelEndpoint, ServiceHistory
from agents.services.contract import ServiceAnswer, TurnError
from conversations.models import Conversation, Message, MessageRole
from tenants.scoping import current_tenant_id

LOST = "service_history_lost"
_SALT = "agents.service_history"
_LONGEST = 200
_BROKEN = ""
_FOREIGN = (
    "The provider answered with an id that belongs to another conversation. Nothing was stored. Let"
    " the desk keep the history of this model: the team answers meanwhile."
)


@dataclass(frozen=True, slots=True)
class Known:
    """From which answer the service goes on, and which lines it has."""

    response_id: str
    turn_id: UUID
    saw_seq: int


def known(conversation_id: UUID, endpoint: ModelEndpoint) -> Known | None:
    """The newest answer that the service can go on from; None: it must be told everything."""
    rows = ServiceHistory.objects.filter(conversation=conversation_id, endpoint=endpoint)
    row = rows.exclude(seal=_BROKEN).order_by("-saw_seq", "-created_at", "-id").first()
    if row is None or not constant_time_compare(row.seal, _seal(row, endpoint)):
        return None
    if _agent_went_on_without_it(row):
        return None
    return Known(row.response_id, row.turn_id, row.saw_seq)


def keep(answer: ServiceAnswer, *, conversation_id: UUID, turn_id: UUID, saw_seq: int) -> None:
    """Binds the service's id to conversation and tenant, in the transaction of the commit."""
    if len(answer.response_id) > _LONGEST:
        raise TurnError("service_id_foreign", retryable=False, detail=_FOREIGN)
    endpoint = ModelEndpoint.objects.get(pk=answer.endpoint_id)
    others = ServiceHistory.objects.filter(endpoint=endpoint, response_id=answer.response_id)
    if others.exists():
        raise TurnError("service_id_foreign", retryable=False, detail=_FOREIGN)
    row = ServiceHistory(
        conversation_id=conversation_id,
        endpoint=endpoint,
        turn_id=turn_id,
        response_id=answer.response_id,
        saw_seq=saw_seq,
    )
    row.seal = _seal(row, endpoint)
    row.save(force_insert=True)


def forget(conversation_id: UUID, *, turn_id: UUID | None = None) -> None:
    """The next turn sends the rows; of one turn: the service goes on from the answer before it."""
    rows = ServiceHistory.objects.filter(conversation=conversation_id)
    (rows if turn_id is None else rows.filter(turn_id=turn_id)).update(seal=_BROKEN)


def copy_to_fork(source: Conversation, talk: Conversation) -> None:
    """The fork goes on from the last answer that it has the lines of."""
    said = Message.objects.filter(conversation=talk, role=MessageRole.AGENT).exclude(turn_id=None)
    turn_ids = said.values_list("turn_id", flat=True)
    rows = ServiceHistory.objects.filter(conversation=source, turn_id__in=list(turn_ids))
    ServiceHistory.objects.bulk_create(_copies(rows.select_related("endpoint"), talk))


def _copies(rows: Iterable[ServiceHistory], talk: Conversation) -> Iterable[ServiceHistory]:
    for row in rows:
        if not constant_time_compare(row.seal, _seal(row, row.endpoint)):
            continue
        copy = ServiceHistory(
            conversation=talk,
            endpoint=row.endpoint,
            turn_id=row.turn_id,
            response_id=row.response_id,
            saw_seq=row.saw_seq,
            forked=True,
        )
        copy.seal = _seal(copy, row.endpoint)
        yield copy


def _agent_went_on_without_it(row: ServiceHistory) -> bool:
    """Lines of the agent that another turn made since: a decision carried out, another model."""
    newer = Message.objects.filter(conversation=row.conversation_id, seq__gt=row.saw_seq)
    made = newer.filter(role__in=[MessageRole.AGENT, MessageRole.TOOL], superseded_at__isnull=True)
    return made.exclude(turn_id=row.turn_id).exists()


def _seal(row: ServiceHistory, endpoint: ModelEndpoint) -> str:
    """Does not fit an id that was moved to another row, nor a model that has moved elsewhere."""
    parts = [
        str(current_tenant_id()),
        str(row.conversation_id),
        str(row.turn_id),
        str(row.saw_seq),
        str(endpoint.pk),
        endpoint.api,
        endpoint.base_url,
        endpoint.model,
        row.response_id,
    ]
    return salted_hmac(_SALT, "\n".join(parts), algorithm="sha256").hexdigest()
