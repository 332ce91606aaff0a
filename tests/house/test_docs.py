"""The documents say what is: links resolve, commands exist, snippets run, every service and decision has its page."""

import ast
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer
import yaml
from typer.core import TyperGroup

from cortex.cli import app
from tests.house.source_tree import ROOT, files, modules, services

DOCS = ROOT / "docs"
PAGES = [path for path in files() if path.suffix == ".md" and not path.is_relative_to(ROOT / "demo" / "sources")]
PROSE = [path for path in PAGES if "manuscripts" not in path.parts]
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
DECISION_LINES_MAX = 60
DECISION_PARTS = ["Context", "Decision", "Consequences", "Alternatives", "Enforced by"]
SERVICE_PARTS = ["Settings", "When something fails", "How to see that it is well"]
SNIPPET_SECONDS = 120
_FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^]]*]\((?P<target>[^)\s]+)\)")
_INLINE = re.compile(r"`([^`\n]+)`")
_HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)


def _ids(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _without_code(text: str) -> str:
    return _FENCE.sub("", text)


def _anchors(page: Path) -> set[str]:
    """As they are made from headings where the pages are shown."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def _parts(path: Path) -> list[str]:
    return re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PROSE, ids=_ids)
def test_links_resolve(page: Path) -> None:
    broken = []
    for link in _LINK.finditer(_without_code(page.read_text(encoding="utf-8"))):
        target, _, anchor = unquote(link["target"]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        found = (page.parent / target).resolve() if target else page
        if not found.exists() or (anchor and anchor not in _anchors(found)):
            broken.append(link["target"])
    assert broken == []


@pytest.mark.parametrize("page", PROSE, ids=_ids)
def test_files_that_are_named_are_there(page: Path) -> None:
    """A path in backticks that begins with a folder of the repository."""
    folders = tuple(f"{path.name}/" for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
    named = [
        name for name in _INLINE.findall(_without_code(page.read_text(encoding="utf-8"))) if name.startswith(folders)
    ]
    plain = [name for name in named if re.fullmatch(r"[\w./-]+", name)]
    assert [name for name in plain if not (ROOT / name).exists() and not name.startswith("objects/")] == []


def test_every_service_has_a_page_of_one_form() -> None:
    assert {path.stem for path in (DOCS / "services").glob("*.md")} == set(services())
    assert {path.stem: _parts(path) for path in (DOCS / "services").glob("*.md") if _parts(path) != SERVICE_PARTS} == {}


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"README.md"}
    assert sorted(page for page in pages if f"({page})" not in index) == []


@pytest.mark.parametrize("decision", DECISIONS, ids=_ids)
def test_a_decision_has_its_form_and_one_page(decision: Path) -> None:
    text = decision.read_text(encoding="utf-8")
    number = decision.name[:4]
    assert re.match(rf"# {number}: [A-Z].*\n\n\d{{4}}-\d{{2}}-\d{{2}}\n", text), "a number, a title, a date"
    assert _parts(decision) == DECISION_PARTS
    assert re.search(r"^## Decision\n\n> ", text, re.MULTILINE), "the line that people quote"
    assert text.count("\n") <= DECISION_LINES_MAX


@cache
def _test_names(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in found)


@pytest.mark.parametrize("decision", DECISIONS, ids=_ids)
def test_a_decision_names_the_tests_that_enforce_it(decision: Path) -> None:
    enforced = decision.read_text(encoding="utf-8").partition("## Enforced by")[2]
    tests = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", enforced)
    assert tests
    assert [path for path, _ in tests if not (ROOT / path).exists()] == []
    assert [name for path, name in tests if name and name not in _test_names(path)] == []


def test_decisions_are_numbered_in_order() -> None:
    assert [int(path.name[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_sections_that_the_code_refers_to_are_there() -> None:
    """`architecture section 4` in a docstring is a heading of docs/architecture.md; `x.md` is a page."""
    sections = set(re.findall(r"^## (\d+)\.", (DOCS / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE))
    names = {path.name for path in PAGES}
    missing = []
    for module in modules():
        if not module.is_under("cortex", "services"):
            continue
        missing += [
            f"{module.path}: section {n}"
            for n in re.findall(r"architecture,? sections? (\d+)", module.text)
            if n not in sections
        ]
        missing += [
            f"{module.path}: {name}"
            for name in re.findall(r"\b([a-z-]+\.md)\b", ast.get_docstring(module.tree) or "")
            if name not in names
        ]
    assert missing == []


def _said(page: Path) -> list[str]:
    """Whatever is in backticks in prose, and the lines of blocks of shell."""
    text = page.read_text(encoding="utf-8")
    blocks = [match["body"] for match in _FENCE.finditer(text) if match["language"] in ("sh", "bash", "console")]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [*_INLINE.findall(_without_code(text)), *lines]


def _lines_of(program: str) -> list[tuple[str, str]]:
    return [(_ids(page), line) for page in PROSE for line in _said(page) if line.split(" ")[0] == program]


@pytest.mark.parametrize(("page", "line"), _lines_of("cortex"))
def test_documented_commands_exist(page: str, line: str) -> None:
    """Command, subcommand and every option, looked up in the application itself."""
    command = typer.main.get_command(app)
    words = shlex.split(line, comments=True)[1:]
    while words and isinstance(command, TyperGroup) and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        assert words[0] in command.commands, f"{page}: {line}"
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    options = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert options - known - {"--help"} == set(), f"{page}: {line}"


@pytest.mark.parametrize(("page", "line"), _lines_of("make"))
def test_documented_make_targets_exist(page: str, line: str) -> None:
    targets = re.findall(r"^([a-z0-9]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = [word for word in shlex.split(line, comments=True)[1:] if "=" not in word]
    assert set(named) <= set(targets), f"{page}: {line}"


def _snippets(language: str) -> list[tuple[str, str]]:
    return [
        (f"{_ids(page)}:{number}", match["body"])
        for page in PROSE
        for number, match in enumerate(_FENCE.finditer(page.read_text(encoding="utf-8")), start=1)
        if match["language"] == language
    ]


@pytest.mark.parametrize(("place", "snippet"), _snippets("yaml"))
def test_yaml_in_the_docs_is_read(place: str, snippet: str) -> None:
    assert isinstance(yaml.safe_load(snippet), dict), place


@pytest.mark.parametrize(("place", "snippet"), _snippets("python"))
def test_python_in_the_docs_runs(place: str, snippet: str, tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c", snippet],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        timeout=SNIPPET_SECONDS,
        check=False,
    )
    assert answer.returncode == 0, f"{place}:\n{answer.stderr}"


def test_setting_up_says_nothing_on_stdout() -> None:
    """`make demo ARGS="--once --json"` sets up first, and its output is one object."""
    recipes = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\n$(TOOLS):")[2]
    spoken = re.findall(r"^\t@(?:echo|\$\((?:PIP|LOCKED|INSTALL|NPM)\)).*$", recipes, re.MULTILINE)
    assert len(spoken) > 10
    assert [line for line in spoken if not line.endswith(">&2")] == []
