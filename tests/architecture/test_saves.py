"""A `save()` of an existing row names its fields: a whole row would undo a neighbour's change."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.code import app_files, called_name, name_of, tree_of, where

HOW = "Write save(update_fields=[…])."

# Files that write whole rows, and why that undoes nothing.
ALLOWED: dict[str, str] = {}


def test_every_save_of_an_existing_row_names_its_fields():
    found = {
        name_of(path): where(path, call)
        for path in app_files()
        for call in bare_saves(tree_of(path))
    }
    assert {name: found[name] for name in found if name not in ALLOWED} == {}, HOW
    assert set(ALLOWED) <= set(found), "Remove what needs no exception any more."


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("def f(row):\n    row.name = 1\n    row.save()", 1),
        ("def f(row):\n    row.save(update_fields=['name'])", 0),
        ("def f():\n    row = Row(name=1)\n    row.save()", 0),
        ("def f(self):\n    row = self.model(name=1)\n    row.save(using=self._db)", 0),
        ("def f(row):\n    row.save(force_insert=True)", 0),
        ("class A:\n    def save(self):\n        super().save()", 0),
    ],
)
def test_the_rule_itself(code, count):
    assert len(list(bare_saves(ast.parse(code)))) == count


def bare_saves(tree: ast.AST) -> Iterator[ast.Call]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            new = set(_made_here(function))
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _is_bare_save(node, new):
                    yield node


def _is_bare_save(call: ast.Call, new: set[str]) -> bool:
    if called_name(call) not in {"save", "asave"} or not isinstance(call.func, ast.Attribute):
        return False
    row = call.func.value
    is_super = isinstance(row, ast.Call) and called_name(row) == "super"
    named = {keyword.arg for keyword in call.keywords} & {"update_fields", "force_insert", None}
    return not (named or is_super or (isinstance(row, ast.Name) and row.id in new))


def _made_here(function: ast.AST) -> Iterator[str]:
    """Names that this function gave to a new instance: `Row(…)` or `self.model(…)`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = called_name(node.value)
            if made[:1].isupper() or made == "model":
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))
