"""The locks: complete, hashed, free of addresses, and in step with what is declared. Nothing here asks the network."""

import json
import re
import tomllib
from collections.abc import Iterable

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.house.source_tree import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
_PINNED = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(\[[^]]*])?==(?P<version>[^ ;\\]+)")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# What the suite runs with: an extra with large packages has a lock of its own, and its tests run where it is installed.
DEVELOPED = ("local", "models", "eval", "dev")
DECLARED: dict[str, list[str]] = {
    "default": PROJECT["dependencies"],
    "local": [*PROJECT["dependencies"], *EXTRAS["local"], *EXTRAS["models"], *EXTRAS["eval"]],
    "presidio": [*PROJECT["dependencies"], *EXTRAS["presidio"]],
    "eval-peers": [*PROJECT["dependencies"], *EXTRAS["eval-peers"]],
    "torch": [*PROJECT["dependencies"], *EXTRAS["torch"]],
    "dev": [*PROJECT["dependencies"], *(line for name in DEVELOPED for line in EXTRAS[name])],
}
HEAVY = ("torch", "docling", "spacy", "transformers", "vllm")


def _entries(name: str) -> list[str]:
    """One for each pin, with its hashes."""
    text = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    return re.split(r"\n(?=[A-Za-z0-9])", text.strip())


def _versions(name: str) -> dict[str, set[Version]]:
    """Several where platforms or versions of Python differ."""
    found: dict[str, set[Version]] = {}
    for entry in _entries(name):
        pin = _PINNED.match(entry)
        assert pin is not None, f"{name}.lock: {entry.splitlines()[0]}"
        found.setdefault(canonicalize_name(pin["name"]), set()).add(Version(pin["version"]))
    return found


def _unmet(requirements: Iterable[str], locked: dict[str, set[Version]]) -> list[str]:
    wanted = [Requirement(line) for line in requirements]
    return [
        str(requirement)
        for requirement in wanted
        if not any(
            requirement.specifier.contains(version, prereleases=True)
            for version in locked.get(canonicalize_name(requirement.name), ())
        )
    ]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_pin_has_hashes_and_no_address(lock: object) -> None:
    entries = _entries(str(getattr(lock, "stem", lock)))
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert [entry for entry in entries if "://" in entry] == []


@pytest.mark.parametrize("name", DECLARED)
def test_a_lock_meets_what_is_declared(name: str) -> None:
    assert _unmet(DECLARED[name], _versions(name)) == [], "run `make lock`"


@pytest.mark.parametrize("name", ["tools", "node", "weights", "llm-test"])
def test_a_lock_meets_its_input(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.in").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert _unmet(lines, _versions(name)) == [], "run `make lock`"


@pytest.mark.parametrize("name", ["default", "local"])
def test_who_develops_runs_what_users_run(name: str) -> None:
    used, dev = _versions(name), _versions("dev")
    assert {package for package in used if used[package] != dev.get(package)} == set()


@pytest.mark.parametrize("name", ["default", "local"])
def test_the_default_install_is_light(name: str) -> None:
    assert [package for package in _versions(name) if package.startswith(HEAVY)] == []


def test_npm_locks_hold_hashes_and_no_address() -> None:
    for path in (*(ROOT / "deploy").rglob("package-lock.json"), ROOT / "web" / "package-lock.json"):
        if "node_modules" in path.parts:
            continue
        packages = json.loads(path.read_text(encoding="utf-8"))["packages"]
        assert [name for name, entry in packages.items() if "resolved" in entry] == []
        assert [name for name, entry in packages.items() if name and not entry.get("integrity")] == []
