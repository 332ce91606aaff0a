"""Migrations are one chain: two that follow the same one would keep every platform from starting."""

import re

from tests.house.source_tree import ROOT

VERSIONS = ROOT / "cortex" / "adapters" / "postgres" / "migrations" / "versions"


def test_each_migration_follows_the_one_before() -> None:
    files = sorted(path for path in VERSIONS.glob("*.py") if path.name != "__init__.py")
    texts = [path.read_text(encoding="utf-8") for path in files]
    revisions = [re.findall(r'^revision = "(\w+)"', text, re.MULTILINE) for text in texts]
    before = [re.findall(r'^down_revision = (?:"(\w+)"|None)', text, re.MULTILINE) for text in texts]
    numbers = [path.name[:4] for path in files]
    assert revisions == [[number] for number in numbers]
    assert before == [[number] for number in ["", *numbers[:-1]]]
    assert len(set(numbers)) == len(numbers)
