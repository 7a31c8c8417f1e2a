"""Reads once, before the loop starts, what a run must know."""

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from agents.models import AgentProfile, ModelEndpoint, Turn, TurnState
from agents.runtime.clients import ClientSpec
from agents.runtime.run import Facts
from agents.services.endpoints import endpoint_key
from agents.services.profiles import current_profile
from agents.services.turns import ClaimedTurn, TurnError
from conversations.models import Conversation, CustomerIdentity
from tenants.models import Tenant
from tenants.scoping import tenant_scope


def load_facts(claimed: ClaimedTurn) -> Facts:
    """Everything in one short scope; raises `TurnError` when no agent is set up."""
    with tenant_scope(claimed.tenant_id):
        profile = current_profile()
        if profile is None:
            raise TurnError(
                "not_configured",
                retryable=False,
                detail="No agent is set up. Choose a model endpoint and publish the agent.",
            )
        conversation = _conversation(claimed.conversation_id)
        return _facts(claimed, Tenant.objects.get(id=claimed.tenant_id), profile, conversation)


def _conversation(conversation_id: UUID) -> Conversation:
    found = Conversation.objects.select_related("customer").filter(id=conversation_id).first()
    if found is None:
        raise TurnError("conversation_gone", retryable=False, detail="The conversation is gone.")
    return found


def _facts(
    claimed: ClaimedTurn, tenant: Tenant, profile: AgentProfile, conversation: Conversation
) -> Facts:
    locale = conversation.locale or conversation.customer.locale or tenant.locale
    return Facts(
        tenant_name=tenant.name,
        hours=tenant.hours,
        today=timezone.localtime().strftime("%A, %d %B %Y"),
        locale=locale,
        customer_id=conversation.customer_id,
        customer_verified=_is_verified(conversation.customer_id),
        agent_name=tenant.agent_name,
        instructions=profile.instructions,
        tools=tuple(profile.tools),
        window=profile.window,
        max_steps=profile.max_steps,
        turn_seconds=profile.turn_seconds,
        client=client_spec(profile.endpoint, locale=locale, max_steps=profile.max_steps),
        session_state=_session_state(claimed),
    )


def client_spec(endpoint: ModelEndpoint, *, locale: str, max_steps: int) -> ClientSpec:
    return ClientSpec(
        api=endpoint.api,
        model=endpoint.model,
        base_url=endpoint.base_url,
        api_key=endpoint_key(endpoint),
        trusted=endpoint.trusted,
        timeout_seconds=endpoint.timeout_seconds,
        max_output_tokens=endpoint.max_output_tokens,
        max_steps=max_steps,
        locale=locale,
        options=endpoint.options,
        input_price=endpoint.input_price,
        output_price=endpoint.output_price,
        currency=endpoint.currency,
    )


def _is_verified(customer_id: UUID) -> bool:
    return CustomerIdentity.objects.filter(customer_id=customer_id).exists()


def _session_state(claimed: ClaimedTurn) -> dict[str, Any] | None:
    """The framework's state of what waits for a decision, whether this turn resumes it or not."""
    waiting = Q(state=TurnState.AWAITING_APPROVAL, conversation_id=claimed.conversation_id)
    found = Turn.objects.filter(Q(id=claimed.turn_id) | waiting).exclude(session_state=None)
    state: dict[str, Any] | None = found.values_list("session_state", flat=True).first()
    return state
