"""Scopes open at the gates; everywhere else the scope is there already or the code is misplaced."""

from tests.architecture.code import app_files, called_name, calls, name_of, tree_of

# Where a tenant's scope may open, and why. A name ending in `/` covers a folder.
OPENERS = {
    "tenants/scoping.py": "defines it",
    "tenants/due.py": "the scope of due work",
    "tenants/gates/": "the gates",
    "conversations/gates/erasure_links.py": "the gate of a mailed link",
    "tenants/console/audit_export.py": "a file is read in short scopes while it is sent",
    "tenants/services/audit_end.py": "a tenant that ended has no gate any more",
    "tenants/selectors/audit_chain.py": "a long chain is verified in short scopes",
    "conversations/gates/files.py": "the gate of a file's link",
    "conversations/gates/uploads.py": "asks who it is before the file is read",
    "conversations/streams.py": "a stream takes a short scope for each read",
    "conversations/widget/frame.py": "the frame shows the name of its key's tenant",
    "agents/runtime/": "between model calls: no scope is held while a model thinks",
    "agents/services/turns.py": "each step of a turn is a transaction of its own",
    "agents/services/failing.py": "so is its end",
    "demo_shop/": "the demo's own seed and pages; not installed in production",
}
FOLDERS = ("management/commands/",)  # the shell of an operator


def test_scopes_open_at_the_gates_only():
    found = sorted(name for name in _files_that_open() if not _allowed(name))
    assert found == [], "Let a gate open it, or say in OPENERS why this file must."


def test_no_entry_is_stale():
    opening = _files_that_open() | {"tenants/scoping.py"}
    stale = [entry for entry in OPENERS if not any(name.startswith(entry) for name in opening)]
    assert stale == []


def _files_that_open() -> set[str]:
    return {
        name_of(path)
        for path in app_files()
        if any(called_name(call) == "tenant_scope" for call in calls(tree_of(path)))
    }


def _allowed(name: str) -> bool:
    return any(name.startswith(entry) for entry in OPENERS) or any(part in name for part in FOLDERS)
