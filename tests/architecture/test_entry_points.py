"""Entry points translate: they reach rows through access, selectors and services only."""

import ast

from tests.architecture.code import called_name, calls, entry_point_files, name_of, tree_of, where

MANAGERS = {"objects", "raw", "_base_manager", "_default_manager"}
SHORTCUTS = {"get_object_or_404", "get_list_or_404", "aget_object_or_404", "aget_list_or_404"}

# Files that may, and why.
ALLOWED: dict[str, str] = {
    "conversations/tasks.py": "due work starts from an id that we wrote; the row may be gone",
}


def test_no_entry_point_queries_by_itself():
    found = [
        where(path, node)
        for path in entry_point_files()
        if name_of(path) not in ALLOWED
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in MANAGERS
    ]
    assert found == [], "Ask access.py for one row, a selector for several; services write."


def test_no_entry_point_takes_djangos_shortcut():
    found = [
        where(path, call)
        for path in entry_point_files()
        for call in calls(tree_of(path))
        if called_name(call) in SHORTCUTS
    ]
    assert found == [], "Ask access.py: there missing and forbidden answer alike."


def test_no_exception_is_stale():
    stale = [
        name for name in ALLOWED if name not in {name_of(path) for path in entry_point_files()}
    ]
    assert stale == []
