"""Rows as the templates show them: turns, passages, approvals."""

from decimal import Decimal
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agents.knowledge import floor
from agents.models import Approval, Turn, TurnState
from agents.selectors.approvals import Request
from agents.selectors.articles import PassagePreview
from agents.selectors.knowledge import Found, KnowledgeAnswer
from agents.selectors.turns import TurnTrace
from agents.selectors.usage import Used
from agents.services.standing import sum_of
from conversations.markup import to_html
from conversations.models import Conversation
from tenants.models import Member
from tenants.permissions import Permission, may

Context = dict[str, Any]
_RETRYABLE = {TurnState.FAILED, TurnState.CANCELLED}


def money(cost: Decimal, currency: str) -> str:
    """To the millionth where it needs that, and always to the hundredth."""
    whole, part = f"{cost:,.6f}".split(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')} {currency}"


def total(used: Used) -> Context:
    return {
        "money": money(used.cost, used.currency),
        "input": used.input_tokens,
        "output": used.output_tokens,
    }


def turn(trace: TurnTrace, *, may_retry: bool) -> Context:
    row = trace.turn
    return {
        "id": row.id,
        "state": row.state,
        "state_label": row.get_state_display(),
        "reason": row.get_reason_display(),
        "attempts": row.attempt,
        "created_at": row.created_at,
        "seconds": trace.seconds,
        "cost": row.cost,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "model": trace.model,
        "model_calls": [_model_call(call) for call in trace.model_calls],
        "tool_calls": [
            {
                "name": call.name,
                "state": call.state,
                "state_label": call.get_state_display(),
                "duration_ms": call.duration_ms,
            }
            for call in trace.tool_calls
        ],
        "error": _error(row),
        "can_open": row.seen is not None,
        "can_retry": may_retry and row.state in _RETRYABLE,
    }


def _model_call(call: Any) -> Context:
    return {
        "attempt": call.attempt,
        "purpose": call.get_purpose_display(),
        "specialist": call.specialist,
        "model": call.model,
        "estimated": call.estimated,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "cost": money(call.cost, call.currency),
        "seconds": call.duration_ms / 1000,
        "outcome": call.outcome,
        "outcome_label": call.get_outcome_display(),
        "error_code": call.error_code,
    }


def _error(row: Turn) -> Context | None:
    if not row.error_code:
        return None
    return {
        "code": row.error_code,
        "provider_status": row.provider_status,
        "detail": row.error_detail,
    }


def preview(passages: list[PassagePreview], body: str) -> Context:
    """What `knowledge/_preview.html` names. `to_html` lets no tag of the text through."""
    return {
        "passages": [
            {
                "heading": passage.heading,
                "html": SafeString(to_html(passage.text)),
                "characters": len(passage.text),
            }
            for passage in passages
        ],
        "characters": len(body),
    }


def results(answer: KnowledgeAnswer, question: str) -> Context:
    return {
        "q": question,
        "sufficient": answer.sufficient,
        "results": [_passage(found) for found in answer.results],
    }


def _passage(found: Found) -> Context:
    article = {"id": found.article_id, "title": found.title, "source": found.source}
    return {
        "article": article,
        "heading": found.heading,
        "excerpt": found.excerpt,
        "score": found.score,
        "relevant": floor.sufficient(found.score),
    }


def request(asked: Request, *, limit: Decimal, by: Member) -> Context:
    first = asked.calls[0]
    return {
        "id": first.id,
        "expires_at": first.expires_at,
        "why": first.why,
        "calls": [_call(call, limit, by) for call in asked.calls],
        "conversation": _talk(asked.conversation),
    }


def _call(call: Approval, limit: Decimal, by: Member) -> Context:
    above = call.amount is not None and call.amount > limit
    return {
        **_act(call),
        "arguments": [{"name": name, "value": value} for name, value in call.arguments.items()],
        "is_open": call.state == Approval.State.PENDING,
        "needs_admin": above and not may(by, Permission.APPROVE_ABOVE_LIMIT),
        "up_to": sum_of(call) if may(by, Permission.AGENT_SETTINGS) else None,
    }


def decided(call: Approval) -> Context:
    """One line of what is over."""
    facts = ", ".join(f"{name}: {value}" for name, value in call.arguments.items())
    return {**_act(call), "facts": facts, "conversation": _talk(call.conversation)}


def _act(call: Approval) -> Context:
    return {
        "id": call.id,
        "tool": call.tool,
        "label": call.tool.replace("_", " ").capitalize(),
        "state": call.state,
        "state_label": call.get_state_display(),
        "decided_by": call.decided_by.name if call.decided_by else "",
        "decided_at": call.decided_at,
        "comment": call.comment,
    }


def _talk(conversation: Conversation) -> Context:
    customer = conversation.customer
    return {
        "id": conversation.id,
        "title": conversation.title or conversation.last_message_preview or _("No title yet"),
        "customer_name": customer.name or customer.email or _("Visitor"),
    }
