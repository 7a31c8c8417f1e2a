"""Holds every answer of the HTTP APIs against the committed OpenAPI schema."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.test import Client
from jsonschema import Draft202012Validator

SCHEMA = Path(settings.BASE_DIR) / "docs" / "openapi.yaml"


class ContractClient(Client):
    """Fails the test when an answer is not what the schema says of its operation."""

    def request(self, **request: Any):
        response = super().request(**request)
        check(request["REQUEST_METHOD"], request["PATH_INFO"], response)
        return response


def check(method: str, path: str, response: Any) -> None:
    operation = _operation(method, path)
    if operation is None or response.streaming:
        return
    if response.status_code == 204:
        assert "204" in operation["responses"], f"{method} {path}: 204 is not in the schema"
        return
    media_type = response["Content-Type"].partition(";")[0]
    content = operation["responses"].get(str(response.status_code), {}).get("content", {})
    assert media_type in content, (
        f"{method} {path}: {response.status_code} {media_type} is not in the schema"
    )
    schema = {**content[media_type]["schema"], "components": _document()["components"]}
    problems = list(Draft202012Validator(schema).iter_errors(response.json()))
    assert not problems, f"{method} {path}: {problems[0].message} at {problems[0].json_path}"


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for pattern, operations in _routes():
        if pattern.fullmatch(path):
            operation: dict[str, Any] | None = operations.get(method.lower())
            return operation
    return None


@cache
def _routes() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    return [
        (re.compile(re.sub(r"\{\w+\}", "[0-9a-f-]{36}", path)), operations)
        for path, operations in _document()["paths"].items()
    ]


@cache
def _document() -> dict[str, Any]:
    """The schema; answers may hold nothing that it does not name."""
    document = yaml.safe_load(SCHEMA.read_text())
    for name, schema in document["components"]["schemas"].items():
        if name != "Problem" and schema.get("type") == "object":
            schema["additionalProperties"] = False
    return dict(document)
