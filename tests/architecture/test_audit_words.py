"""Every act that the desk records has words of its own: the record is read by people."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tenants.console.audit_did import DID

ROOT = Path(__file__).parents[2]
_RECORDERS = {"record", "record_for_platform", "_record", "_end_all"}


def test_every_recorded_act_has_words():
    acts = {act for app in ("tenants", "conversations", "agents") for act in _acts(ROOT / app)}
    assert len(acts) > 50
    assert acts - set(DID) == set(), "Say in tenants/console/audit_did.py what was done."


def _acts(app: Path) -> Iterator[str]:
    for path in app.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in _RECORDERS:
                texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
                yield from (text for text in texts[:1] if isinstance(text, str))


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))
