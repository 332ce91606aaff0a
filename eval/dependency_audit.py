"""Asks the Open Source Vulnerabilities database about every pin of the locks: `python -m eval.dependency_audit`.

Exits with 1 where an advisory is open. Without a network it says that nothing was asked and exits with 0: no build may
depend on a service elsewhere. That every pin has a hash is tested without asking anybody (tests/house/test_locks.py).
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "requirements"
NPM_LOCK = ROOT / "deploy" / "local" / "package-lock.json"
# One advisory a line, with why it does not concern us behind a `#`.
ACCEPTED = LOCKS / "advisories.txt"
URL = "https://api.osv.dev"
TIMEOUT_S = 20.0
QUERIES_PER_REQUEST = 500
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*])?==(?P<version>[^ ;\\]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, order=True)
class Pin:
    ecosystem: str
    name: str
    version: str


def pins() -> list[Pin]:
    return sorted({*_python(), *_node()})


def _python() -> Iterator[Pin]:
    for lock in LOCKS.glob("*.lock"):
        for match in _PIN.finditer(lock.read_text(encoding="utf-8")):
            yield Pin("PyPI", match["name"].lower().replace("_", "-"), match["version"])


def _node() -> Iterator[Pin]:
    packages = json.loads(NPM_LOCK.read_text(encoding="utf-8"))["packages"]
    for place, entry in packages.items():
        if place:
            yield Pin("npm", place.rpartition("node_modules/")[2], entry["version"])


def accepted(text: str) -> set[str]:
    """Raises ValueError where no reason is given."""
    found = set()
    for line in filter(str.strip, text.splitlines()):
        advisory, _, reason = line.partition("#")
        if advisory.strip() and not reason.strip():
            raise ValueError(f"{advisory.strip()}: say why it is accepted, behind a #")
        found.add(advisory.strip())
    return found - {""}


def advisories(client: httpx.Client, asked: Sequence[Pin]) -> list[tuple[Pin, str]]:
    """Open advisories by pin."""
    found = []
    for start in range(0, len(asked), QUERIES_PER_REQUEST):
        some = asked[start : start + QUERIES_PER_REQUEST]
        queries = [{"package": {"ecosystem": p.ecosystem, "name": p.name}, "version": p.version} for p in some]
        response = client.post("/v1/querybatch", json={"queries": queries}).raise_for_status()
        for pin, result in zip(some, response.json()["results"], strict=True):
            found += [(pin, str(entry["id"])) for entry in result.get("vulns", ())]
    return found


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", default=URL, help="of the database (default: %(default)s)")
    url = parser.parse_args(arguments).url
    asked = pins()
    known = accepted(ACCEPTED.read_text(encoding="utf-8"))
    try:
        with httpx.Client(base_url=url, timeout=TIMEOUT_S) as client:
            found = advisories(client, asked)
    except (httpx.HTTPError, ValueError) as error:
        print(f"dependency audit: skipped, for {url} could not be asked ({type(error).__name__})", file=sys.stderr)
        return 0
    still_open = [(pin, advisory) for pin, advisory in found if advisory not in known]
    for pin, advisory in still_open:
        print(f"{pin.name} {pin.version}: {advisory}")
    print(f"dependency audit: {len(asked)} pins, {len(still_open)} open advisories of {len(found)}")
    return 1 if still_open else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
