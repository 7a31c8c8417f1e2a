"""Walks the code itself, so that no test keeps a list of files or views by hand."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("tenants", "conversations", "agents", "demo_shop", "config")
ENTRY_POINTS = ("console", "widget", "api", "tasks", "admin")


def python_files(*folders: str) -> Iterator[Path]:
    """The hand-written Python files below these folders of the project."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name != "0001_initial.py":
                yield path


def app_files() -> Iterator[Path]:
    return (path for path in python_files(*APPS) if "migrations" not in path.parts)


def entry_point_files() -> Iterator[Path]:
    """Files of `console/`, `widget/`, `api/`, `staff/`, and `tasks.py` and `admin.py`."""
    return (
        path
        for path in app_files()
        if path.relative_to(ROOT).parts[1].removesuffix(".py") in ENTRY_POINTS
    )


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    """The last part of what is called: `atomic` for `transaction.atomic()`."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def where(path: Path, node: ast.AST) -> str:
    return f"{name_of(path)}:{getattr(node, 'lineno', 0)}"
