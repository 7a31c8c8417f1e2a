"""Reads once, before the loop starts, what a run must know."""

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.utils import timezone

from agents.models import AgentProfile, Approval, History, ModelEndpoint, Turn, TurnState
from agents.runtime.background import gather, key_of, newly_sent
from agents.runtime.clients import ClientSpec
from agents.runtime.files import has_files
from agents.runtime.run import Facts, pending_ids
from agents.runtime.tools.own import own_tools
from agents.services.budgets import allowance
from agents.services.contract import ClaimedTurn, TurnError
from agents.services.endpoints import endpoint_key
from agents.services.profiles import current_profile
from agents.services.service_history import known
from agents.services.tools import tool_rules
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
        left = allowance(turn_id=claimed.turn_id, conversation_id=claimed.conversation_id)
        tenant = Tenant.objects.get(id=claimed.tenant_id)
        facts = replace(_facts(claimed, tenant, profile, conversation), allowance=left)
        return replace(facts, **_remembered(claimed, facts, profile.endpoint, conversation))


def _remembered(
    claimed: ClaimedTurn, facts: Facts, endpoint: ModelEndpoint, conversation: Conversation
) -> dict[str, Any]:
    """What the model's service may keep, and has kept, of this conversation.

    Not of a draft, which is no part of it, and not around an approval: the call that waits stands
    in the rows, and its result must stand beside it.
    """
    if endpoint.history != History.SERVICE or claimed.drafts or facts.pending:
        return {}
    before = known(claimed.conversation_id, endpoint)
    return {
        "keeps_history": True,
        "endpoint_id": endpoint.id,
        "known": before,
        # It would keep what is told beside the talk too, and have all of it again every turn.
        "told": newly_sent(conversation, after_seq=before.saw_seq if before else 0),
    }


def _conversation(conversation_id: UUID) -> Conversation:
    rows = Conversation.objects.select_related("customer").annotate(has_files=has_files())
    found = rows.filter(id=conversation_id).first()
    if found is None:
        raise TurnError("conversation_gone", retryable=False, detail="The conversation is gone.")
    return found


def _facts(
    claimed: ClaimedTurn, tenant: Tenant, profile: AgentProfile, conversation: Conversation
) -> Facts:
    locale = conversation.locale or conversation.customer.locale or tenant.locale
    verified = _is_verified(conversation.customer_id)
    return Facts(
        tenant_name=tenant.name,
        hours=tenant.hours,
        today=timezone.localtime().strftime("%A, %d %B %Y"),
        locale=locale,
        customer_id=conversation.customer_id,
        customer_verified=verified,
        agent_name=tenant.agent_name,
        instructions=profile.instructions,
        tools=tuple(profile.tools),
        rules=tool_rules(),
        own_tools=own_tools(profile.tools),
        window=profile.window,
        token_budget=profile.token_budget,
        tokenizer=profile.tokenizer,
        sums_up=profile.sums_up,
        max_steps=profile.max_steps,
        turn_seconds=profile.turn_seconds,
        profile_id=profile.id,
        profile_version=profile.version,
        client=client_spec(profile.endpoint, locale=locale, max_steps=profile.max_steps),
        context=tuple(profile.context),
        fence=key_of(conversation.id),
        told=gather(conversation, sources=profile.context, verified=verified),
        **_waiting(claimed),
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
        stray_id=endpoint.stray_id,
    )


def _is_verified(customer_id: UUID) -> bool:
    return CustomerIdentity.objects.filter(customer_id=customer_id).exists()


def _waiting(claimed: ClaimedTurn) -> dict[str, Any]:
    """What this turn resumes; else what it must leave alone, because another one will.

    Only the turn that holds the state of a batch may resume it: two would carry it out twice.
    """
    own = Turn.objects.filter(id=claimed.turn_id).values_list("session_state", flat=True).first()
    state = own or _of_another(claimed)
    pending = pending_ids(state)
    if not pending:
        return {}
    rows = Approval.objects.filter(conversation=claimed.conversation_id, call_id__in=pending)
    asked = list(rows.select_related("decided_by__user").order_by("id"))
    return {
        "session_state": own,
        "pending": frozenset(pending),
        "asked_by": asked[0].turn_id if own and asked else None,
        "about_approvals": tuple(map(_about, asked)),
    }


def _of_another(claimed: ClaimedTurn) -> dict[str, Any] | None:
    others = Turn.objects.filter(
        conversation=claimed.conversation_id,
        state__in=[TurnState.AWAITING_APPROVAL, TurnState.QUEUED],
    )
    found = others.exclude(session_state=None).values_list("session_state", flat=True)
    state: dict[str, Any] | None = found.first()
    return state


def _about(row: Approval) -> str:
    call = f"{row.tool} {json.dumps(row.arguments, ensure_ascii=False)}"
    if row.state == Approval.State.PENDING:
        return f"that waits for a colleague (do not ask for it again): {call}"
    who = row.decided_by.name if row.decided_by else "A colleague"
    said = f', saying: "{row.comment}"' if row.comment else ""
    return f"that {who} has {row.state}{said}: {call}"
