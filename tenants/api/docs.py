"""The OpenAPI schema for programs, and a page of it for people."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tenants.errors import DeskError

_SCHEMA = Path(settings.BASE_DIR) / "docs" / "openapi.yaml"
_REFERENCE = "#/components/schemas/"


class Field(NamedTuple):
    """A field or parameter, as the page shows it."""

    name: str
    type: str
    required: bool
    words: str


class Operation(NamedTuple):
    """An operation, as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    words: str
    parameters: list[Field]
    body: list[Field]
    answers: list[tuple[str, str, list[Field]]]


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """The committed document; a test holds it equal to what the code says."""
    return HttpResponse(_SCHEMA.read_bytes(), content_type="application/vnd.oai.openapi")


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html", {"groups": _groups(), "problems": _problems()})


@cache
def _groups() -> list[tuple[str, list[Operation]]]:
    document = yaml.safe_load(_SCHEMA.read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    found: dict[str, list[Operation]] = {"Widget API": [], "Member API": []}
    for path, operations in document["paths"].items():
        group = "Widget API" if path.startswith("/widget/") else "Member API"
        for method, operation in operations.items():
            found[group].append(_operation(method, path, operation, schemas))
    return list(found.items())


def _operation(
    method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]
) -> Operation:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        words=operation.get("description", ""),
        parameters=[_parameter(given) for given in operation.get("parameters", [])],
        body=_fields(body.get("schema", {}), schemas),
        answers=[
            (status, answer["description"], _answer_fields(answer, schemas))
            for status, answer in operation["responses"].items()
        ],
    )


def _parameter(given: dict[str, Any]) -> Field:
    words = given.get("description", "")
    return Field(given["name"], _type(given["schema"]), given.get("required", False), words)


def _answer_fields(answer: dict[str, Any], schemas: dict[str, Any]) -> list[Field]:
    content = answer.get("content", {}).get("application/json", {})
    return _fields(content.get("schema", {}), schemas)


def _fields(schema: dict[str, Any], schemas: dict[str, Any]) -> list[Field]:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].removeprefix(_REFERENCE)]
    required = schema.get("required", [])
    return [
        Field(name, _type(field), name in required, field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    ]


def _type(schema: dict[str, Any]) -> str:
    """In words: a type, one of some values, a named object, a list of those."""
    if "$ref" in schema:
        return str(schema["$ref"].removeprefix(_REFERENCE))
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return " or ".join(_type(choice) for choice in schema[key])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    kinds = schema.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else str(schema.get("format") or kinds)


def _problems() -> list[type[DeskError]]:
    """Every refusal that this desk knows, by code."""
    found: dict[str, type[DeskError]] = {}
    waiting: list[type[DeskError]] = [DeskError]
    while waiting:
        kind = waiting.pop()
        found.setdefault(kind.code, kind)
        waiting += kind.__subclasses__()
    return [found[code] for code in sorted(found)]
