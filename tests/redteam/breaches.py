"""Deliberate breaches, one at a time: the red team must catch each.

    python -m tests.redteam.breaches [NAME ...] [--seed N]

Each is a small edit of a copy of the tree; the tests of the copy are run against a platform started from it, until the
first of them fails. Before all of them the copy is tried as it is, which must pass. It takes a minute or two each.
Exits with 1 where a breach was missed, and with 2 where one could not be tried.
"""

import argparse
import enum
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from eval.permissions_report import record
from tests.redteam import seeds
from tests.redteam.edits import BREACHES, UNALTERED, Breach

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("cortex", "services", "tests", "demo", "eval", "proto", "deploy", "pyproject.toml")
ENGINE = Path("deploy/local/node_modules")
RUN_TIMEOUT_S = 900
TESTS = "tests/redteam"
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
NOT_IN_A_COPY = "test_breaches"


class Outcome(enum.StrEnum):
    PASSED = "passed"
    CAUGHT = "caught"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Tried:
    breach: Breach
    outcome: Outcome
    by: str
    took_s: float


def attempt(breach: Breach, seed: int) -> Tried:
    with tempfile.TemporaryDirectory(prefix="cortex-breach-", ignore_cleanup_errors=True) as folder:
        tree, report = Path(folder) / "tree", Path(folder) / "report.xml"
        _copy(tree)
        breach.apply(tree)
        began = time.monotonic()
        _run(tree, report, seed, _modules(tree, breach.first))
        outcome, by = _outcome(report)
        return Tried(breach, outcome, by, time.monotonic() - began)


def _modules(tree: Path, first: str) -> list[str]:
    """One by one: a folder named after a module of it would be run in its own order. Not those of the edits."""
    found = sorted((tree / TESTS).glob("test_*.py"), key=lambda path: (path.stem != first, path.stem))
    return [f"{TESTS}/{path.name}" for path in found if path.stem != NOT_IN_A_COPY]


def _copy(tree: Path) -> None:
    tree.mkdir()
    unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=unwanted)
        else:
            shutil.copy(ROOT / name, tree / name)
    (tree / ENGINE).symlink_to(ROOT / ENGINE)


def _run(tree: Path, report: Path, seed: int, tests: list[str]) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree),
        "CORTEX_MODELS_DIR": os.environ.get("CORTEX_MODELS_DIR", str(ROOT / ".cortex" / "models")),
        seeds.VARIABLE: str(seed),
    }
    environment.pop("CORTEX_TEST_DATA", None)  # a platform that runs already is not the copy's
    command = [sys.executable, *PYTEST, *tests, f"--junitxml={report}"]
    subprocess.run(
        command,
        cwd=tree,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )


def _outcome(report: Path) -> tuple[Outcome, str]:
    """A test that fails has caught something; an error before it has only shown that nothing could be tried."""
    if not report.exists():
        return Outcome.BROKEN, "no test was run"
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    for kind, outcome in (("failure", Outcome.CAUGHT), ("error", Outcome.BROKEN)):
        for case in cases:
            found = case.find(kind)
            if found is not None:
                lines = (found.get("message") or "").splitlines() or [""]
                return outcome, f"{case.get('name')}: {lines[0][:160]}"
    return (Outcome.PASSED, f"{len(cases)} tests") if cases else (Outcome.BROKEN, "no test was run")


def _line(tried: Tried) -> str:
    return f"{tried.breach.name:28} {tried.outcome:7} {tried.took_s:5.0f} s  {tried.by}"


def _chosen(names: Iterable[str]) -> list[Breach]:
    wanted = list(names)
    return [breach for breach in BREACHES if not wanted or breach.name in wanted]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *(breach.name for breach in BREACHES)])
    parser.add_argument("--seed", type=int, default=seeds.chosen())
    arguments = parser.parse_args()
    print(f"{seeds.VARIABLE}={arguments.seed}", flush=True)
    unaltered = attempt(UNALTERED, arguments.seed)
    print(_line(unaltered), flush=True)
    if unaltered.outcome is not Outcome.PASSED:
        return 2
    tried = []
    for breach in _chosen(arguments.names):
        tried.append(attempt(breach, arguments.seed))
        print(_line(tried[-1]), flush=True)
    caught = sum(one.outcome is Outcome.CAUGHT for one in tried)
    print(f"{caught} of {len(tried)} caught")
    if not arguments.names:
        record("breaches", {"tried": len(tried), "caught": caught, "seed": arguments.seed})
    if any(one.outcome is Outcome.BROKEN for one in tried):
        return 2
    return 0 if caught == len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
