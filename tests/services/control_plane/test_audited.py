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
    if function.name.startswith("search_"):
        return False  # SCIM asks by POST too
    called = (decorator.func for decorator in function.decorator_list if isinstance(decorator, ast.Call))
    return any(isinstance(name, ast.Attribute) and name.attr in WRITES for name in called)


def _calls(function: ast.AST) -> set[str]:
    """Names of what is called, without what they are attributes of; an append to a log of audit is `audited`."""
    names = [ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)]
    appends = any("audit" in name or name.endswith("log.append") for name in names)
    return {name.rpartition(".")[2] for name in names} | ({"audited"} if appends else set())


def _functions() -> dict[str, set[str]]:
    """What each function and method of the service calls."""
    found: dict[str, set[str]] = {}
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef):
                found.setdefault(node.name, set()).update(_calls(node))
    return found


def _audits(function: ast.AsyncFunctionDef, known: dict[str, set[str]]) -> bool:
    """Itself, or through whatever of the service it calls."""
    seen, waiting = set[str](), _calls(function)
    while waiting:
        name = waiting.pop()
        if name == "audited":
            return True
        seen.add(name)
        waiting |= known.get(name, set()) - seen
    return False


def test_there_are_routes_to_look_at() -> None:
    assert len(list(_routes())) > 15


def test_each_act_leaves_a_line() -> None:
    known = _functions()
    assert [place for place, route in _routes() if not _audits(route, known)] == []
