"""The JSON of the agent's rows."""

from decimal import Decimal
from typing import Any

from agents.models import Approval, Article, Budget, ModelCall, ToolCall, Turn
from agents.selectors.drafts import DraftNow
from agents.selectors.knowledge import Found
from agents.selectors.turns import TurnTrace
from agents.selectors.usage import Used
from agents.services.budgets import LIMITS, Allowance


def turn_json(trace: TurnTrace) -> dict[str, Any]:
    turn = trace.turn
    return {
        "id": turn.id,
        "conversation": turn.conversation_id,
        "state": turn.state,
        "reason": turn.reason,
        "retry_of": turn.retry_of,
        "attempts": turn.attempt,
        "input_tokens": turn.input_tokens,
        "output_tokens": turn.output_tokens,
        "cost": money(turn.cost),
        "created_at": turn.created_at,
        "started_at": turn.started_at,
        "finished_at": turn.finished_at,
        "error": _error(turn),
        "model_calls": [_model_call(call) for call in trace.model_calls],
        "tool_calls": [_tool_call(call) for call in trace.tool_calls],
    }


def draft_json(now: DraftNow) -> dict[str, Any]:
    draft = now.draft
    shown = draft and {
        "id": draft.id,
        "turn": draft.turn_id,
        "text": draft.text,
        "sources": draft.sources or [],
        "saw_seq": draft.saw_seq,
        "stale": now.stale,
        "created_at": draft.created_at,
    }
    return {"draft": shown, "newest_seq": now.newest_seq, "writing": now.writing}


def used_json(used: Used) -> dict[str, Any]:
    return {
        "key": used.key,
        "label": used.label,
        "currency": used.currency,
        "calls": used.calls,
        "failed_calls": used.failed_calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": money(used.cost),
    }


def budget_json(budget: Budget, left: Allowance) -> dict[str, Any]:
    limits = {name: getattr(budget, name) for name in LIMITS}
    shown = {name: f"{v:.2f}" if isinstance(v, Decimal) else v for name, v in limits.items()}
    return {"currency": budget.currency, **shown, "reached": left.reached()}


def article_json(article: Article, *, body: bool = False) -> dict[str, Any]:
    shown = {
        "id": article.id,
        "title": article.title,
        "source": article.source,
        "language": article.language,
        "characters": article.characters,
        "updated_at": article.updated_at,
    }
    return shown | {"body": article.body} if body else shown


def found_json(found: Found) -> dict[str, Any]:
    return {
        "article": {"id": found.article_id, "title": found.title, "source": found.source},
        "heading": found.heading,
        "excerpt": found.excerpt,
        "score": found.score,
    }


def approval_json(call: Approval) -> dict[str, Any]:
    return {
        "id": call.id,
        "conversation": call.conversation_id,
        "turn": call.turn_id,
        "tool": call.tool,
        "arguments": call.arguments,
        "why": call.why,
        "amount": None if call.amount is None else money(call.amount),
        "state": call.state,
        "created_at": call.created_at,
        "expires_at": call.expires_at,
        "decided_by": call.decided_by.name if call.decided_by else None,
        "decided_at": call.decided_at,
        "comment": call.comment,
    }


def money(amount: Decimal) -> str:
    """A decimal number as text: no binary fraction ever stands for money."""
    return str(amount)


def _error(turn: Turn) -> dict[str, Any] | None:
    if not turn.error_code:
        return None
    return {
        "code": turn.error_code,
        "provider_status": turn.provider_status,
        "detail": turn.error_detail,
    }


def _model_call(call: ModelCall) -> dict[str, Any]:
    return {
        "purpose": call.purpose,
        "specialist": call.specialist,
        "api": call.api,
        "model": call.model,
        "attempt": call.attempt,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "cached_tokens": call.cached_tokens,
        "reasoning_tokens": call.reasoning_tokens,
        "cost": money(call.cost),
        "currency": call.currency,
        "duration_ms": call.duration_ms,
        "outcome": call.outcome,
        "error_code": call.error_code,
        "estimated": call.estimated,
        "created_at": call.created_at,
    }


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {
        "step": call.step,
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "state": call.state,
        "duration_ms": call.duration_ms,
        "created_at": call.created_at,
    }
