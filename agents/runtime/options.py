"""The options of a model call, in what each protocol allows."""

from collections.abc import Callable
from typing import Any

from agents.models import Api
from agents.runtime.clients import OPENAI_URL, ClientSpec


def default_options(spec: ClientSpec, *, has_tools: bool) -> Any:
    """What every call of an agent says beside messages and tools; the endpoint's own come last."""
    options = _OPTIONS[spec.api](spec)
    if spec.api == Api.MESSAGES and not has_tools:
        # The framework always chooses "auto"; this protocol refuses a choice without tools.
        options["tool_choice"] = None
    return {**options, **spec.options}


def _chat_completions(spec: ClientSpec) -> dict[str, Any]:
    # `store` is not named at all: compatible servers refuse unknown keys, and unset means no copy.
    if spec.base_url.rstrip("/") in {"", OPENAI_URL}:
        return {"max_tokens": spec.max_output_tokens}
    # The framework renames max_tokens to a name that many compatible servers do not know.
    return {"extra_body": {"max_tokens": spec.max_output_tokens}}


def _responses(spec: ClientSpec) -> dict[str, Any]:
    return {"store": False, "max_tokens": spec.max_output_tokens}


def _limited(spec: ClientSpec) -> dict[str, Any]:
    return {"max_tokens": spec.max_output_tokens}


_OPTIONS: dict[str, Callable[[ClientSpec], dict[str, Any]]] = {
    Api.CHAT_COMPLETIONS: _chat_completions,
    Api.RESPONSES: _responses,
    Api.MESSAGES: _limited,
    Api.OLLAMA: _limited,
    Api.OFFLINE: _limited,
}
