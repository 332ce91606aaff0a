"""What the house tests look at: every text file of the repository, and the Python written by hand as syntax trees."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeGuard

ROOT = Path(__file__).resolve().parents[2]
_UNTRACKED = frozenset({".git", ".venv", ".cortex", ".hypothesis", "node_modules", "__pycache__", "build", "dist"})
_CACHES = ("_cache", ".egg-info")
# Stubs, and what Alembic runs from its folder.
_GENERATED = ("cortex/rpc/", "cortex/adapters/postgres/migrations/")
_HAND_WRITTEN = ("cortex", "services", "tests", "demo", "eval", "proto")


@dataclass(frozen=True, slots=True)
class Module:
    """`path` is relative to the repository, with forward slashes."""

    path: PurePosixPath
    text: str
    tree: ast.Module

    def is_under(self, *folders: str) -> bool:
        return any(self.path.is_relative_to(folder) for folder in folders)

    @property
    def name(self) -> str:
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def at(self, node: ast.AST) -> str:
        return f"{self.path}:{getattr(node, 'lineno', 1)}"


def files(folder: Path = ROOT) -> Iterator[Path]:
    """Every file but what the tools leave behind."""
    for path in sorted(folder.iterdir()):
        if path.name in _UNTRACKED or path.name.endswith(_CACHES) or path.is_symlink():
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def text_of(path: Path) -> str | None:
    """None for what is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


@cache
def modules() -> tuple[Module, ...]:
    found = []
    for path in (path for folder in _HAND_WRITTEN for path in files(ROOT / folder) if path.suffix == ".py"):
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(_GENERATED):
            text = path.read_text(encoding="utf-8")
            found.append(Module(PurePosixPath(place), text, ast.parse(text, place)))
    return tuple(found)


def product() -> tuple[Module, ...]:
    """What is installed: the kernel and the services."""
    return tuple(module for module in modules() if module.is_under("cortex", "services"))


def services() -> list[str]:
    return sorted(path.parent.name for path in (ROOT / "services").glob("*/__init__.py"))


def imports(module: Module) -> Iterator[tuple[str, ast.AST]]:
    """Absolute names, of `import a.b` and `from a.b import c` alike `a.b`; those for type checking count too."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node
        elif isinstance(node, ast.Call) and dotted(node.func) in ("importlib.import_module", "__import__"):
            yield from ((str(name.value), node) for name in node.args[:1] if _is_text(name))


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a chain of attributes; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{start}.{node.attr}" if (start := dotted(node.value)) else ""
    return ""
