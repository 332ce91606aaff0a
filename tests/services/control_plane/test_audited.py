"""Every route of administration that changes something leaves a line in the audit."""

import ast
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "services" / "control_plane"
WRITES = frozenset({"post", "put", "patch", "delete"})
# Of oneself, and of nobody: signing in and out are sessions, not acts of administration.
NO_ACTS = frozenset({"sessions.py", "oidc.py", "authenticate.py"})


def _routes() -> Iterator[tuple[str, ast.AsyncFunctionDef]]:
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AsyncFunctionDef) and path.name not in NO_ACTS and _writes(node):
                yield f"{path.relative_to(FOLDER)}: {node.name}", node


def _writes(function: ast.AsyncFunctionDef) -> bool:
    called = (decorator.func for decorator in function.decorator_list if isinstance(decorator, ast.Call))
    return any(isinstance(name, ast.Attribute) and name.attr in WRITES for name in called)


def _audits(function: ast.AsyncFunctionDef) -> bool:
    names = (ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call))
    return any("audit" in name or name.endswith("log.append") for name in names)


def test_there_are_routes_to_look_at() -> None:
    assert len(list(_routes())) > 15


def test_each_act_leaves_a_line() -> None:
    assert [place for place, route in _routes() if not _audits(route)] == []
