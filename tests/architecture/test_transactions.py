"""A database error breaks its transaction: who catches it inside needs a savepoint around it."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.code import app_files, called_name, tree_of, where

ERRORS = {
    "DatabaseError", "IntegrityError", "DataError", "OperationalError", "ProgrammingError",
    "InternalError", "NotSupportedError", "Error", "Exception", "BaseException",
}  # fmt: skip
OPENERS = {"atomic", "tenant_scope", "scope"}


def test_no_database_error_is_caught_inside_a_transaction():
    found = [where(path, node) for path in app_files() for node in caught_inside(tree_of(path))]
    assert found == [], "Put `with transaction.atomic():` inside the try, around the statement."


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("with transaction.atomic():\n  try:\n    f()\n  except IntegrityError:\n    pass", 1),
        ("with tenant_scope(x):\n  try:\n    f()\n  except (ValueError, DataError):\n    pass", 1),
        ("@transaction.atomic\ndef f():\n  try:\n    g()\n  except db.Error:\n    pass", 1),
        ("try:\n  with transaction.atomic():\n    f()\nexcept IntegrityError:\n  pass", 0),
        ("with atomic():\n  try:\n    with atomic():\n      f()\n  except DataError:\n    pass", 0),
        ("with atomic():\n  try:\n    f()\n  except ValueError:\n    pass", 0),
        ("with atomic():\n  try:\n    f()\n  except Exception:\n    log()\n    raise", 0),
    ],
)  # fmt: skip
def test_the_rule_itself(code, count):
    assert len(list(caught_inside(ast.parse(code)))) == count


def caught_inside(tree: ast.AST) -> Iterator[ast.Try]:
    for node in ast.walk(tree):
        if _opens(node):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Try) and _swallows(inner) and not _has_savepoint(inner):
                    yield inner


def _opens(node: ast.AST) -> bool:
    if isinstance(node, ast.With):
        return any(_is_opener(item.context_expr) for item in node.items)
    if isinstance(node, ast.FunctionDef):
        return any(_is_opener(decorator) for decorator in node.decorator_list)
    return False


def _is_opener(expression: ast.expr) -> bool:
    if isinstance(expression, ast.Call):
        return called_name(expression) in OPENERS
    return isinstance(expression, ast.Attribute) and expression.attr == "atomic"


def _swallows(node: ast.Try) -> bool:
    return any(
        _names(handler.type) & ERRORS and not isinstance(handler.body[-1], ast.Raise)
        for handler in node.handlers
    )


def _names(kind: ast.expr | None) -> set[str]:
    """What a handler catches; a bare `except:` catches everything."""
    if kind is None:
        return {"BaseException"}
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {ast.unparse(one).rsplit(".", 1)[-1] for one in kinds}


def _has_savepoint(node: ast.Try) -> bool:
    return isinstance(node.body[0], ast.With) and _opens(node.body[0])
