"""The OpenAPI schema: committed, served, and what the code says."""

import yaml
from django.core.management import call_command
from django.test import Client

from tests.support.contract import SCHEMA


def test_the_committed_schema_is_what_the_code_says(tmp_path):
    generated = tmp_path / "openapi.yaml"

    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(generated))

    hint = "run: ./desk manage spectacular --file docs/openapi.yaml"
    assert generated.read_text() == SCHEMA.read_text(), hint


def test_the_committed_schema_is_served():
    answer = Client().get("/api/schema/")

    assert answer.status_code == 200
    assert yaml.safe_load(answer.content) == yaml.safe_load(SCHEMA.read_text())


def test_the_page_for_people_lists_every_operation_and_problem():
    page = Client().get("/api/docs/").content.decode()

    for path, operations in yaml.safe_load(SCHEMA.read_text())["paths"].items():
        for method, operation in operations.items():
            assert f"{method.upper()} {path}" in page
            assert f'id="{operation["operationId"]}"' in page
    assert 'id="newer_messages"' in page
    assert "<script>" not in page
