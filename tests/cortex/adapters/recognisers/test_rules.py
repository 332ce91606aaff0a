"""What the rules find in three languages, what they leave alone, and that no text keeps them busy for long."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cortex.adapters.recognisers import RuleRecogniser
from cortex.adapters.recognisers.checksums import is_card, is_iban, is_resident_id
from cortex.adapters.recognisers.rules import RULES, Rule
from cortex.domain.privacy import SECRETS, Kind, apart
from tests.cortex.adapters.recognisers.labelled import CLEAN, MARKED, plain

DEMO = Path(__file__).parents[4] / "demo" / "sources"
RECALL_MIN = 0.93
PRECISION_MIN = 0.95
EVIL_CHARACTERS = 100_000
MEGABYTE = 1_000_000
CPU_S_MAX = 60
"""Fifty times what it takes: a bound for what would not end, and no measure."""


def found(text: str) -> set[tuple[int, int, Kind]]:
    return {(finding.start, finding.end, finding.kind) for finding in apart(RuleRecogniser().detect(text, "en"))}


def test_precision_and_recall_on_three_languages() -> None:
    right = wanted = given = 0
    for language, marked in MARKED.items():
        text, labels = plain(marked)
        hits = found(text)
        right, wanted, given = right + len(hits & labels), wanted + len(labels), given + len(hits)
        print(f"{language}: {len(hits & labels)} of {len(labels)} found")
        print(f"  missed {[text[a:b] for a, b, _ in sorted(labels - hits)]}")
        print(f"  wrong {[text[a:b] for a, b, _ in sorted(hits - labels)]}")
    given += len(found(CLEAN))
    print(f"recall {right / wanted:.3f}, precision {right / given:.3f}")
    assert right / wanted >= RECALL_MIN
    assert right / given >= PRECISION_MIN


def test_parts_codes_hosts_and_hashes_are_left_alone() -> None:
    assert [CLEAN[start:end] for start, end, _ in found(CLEAN)] == []


def test_no_secret_is_seen_in_the_demo_company() -> None:
    """By default secrets are redacted, so that each of these would be a hole in an answer."""
    seen = []
    for path in sorted(DEMO.rglob("*")):
        if path.suffix in {".md", ".txt", ".csv", ".eml", ".html", ".py", ".yaml", ".sql"}:
            text = path.read_text(encoding="utf-8", errors="replace")
            seen += [(path.name, text[start:end]) for start, end, kind in found(text) if kind in SECRETS]
    assert seen == []


@pytest.mark.parametrize("neighbours", ["{}", "（{}）", "中{}文", "a: {};", "{}.", "<{}>", '"{}"'])
@pytest.mark.parametrize("secret", ["AKIAIOSFODNN7EXAMPLE", "glpat-abcdefghij1234567890", "ann@acme.example"])
def test_neighbours_do_not_hide_what_they_touch(neighbours: str, secret: str) -> None:
    text = neighbours.format(secret)
    assert [text[start:end] for start, end, _ in found(text)] == [secret]


def test_checksums() -> None:
    assert is_iban("DE89 3704 0044 0532 0130 00")
    assert not is_iban("DE89 3704 0044 0532 0130 01")
    assert is_card("4111-1111-1111-1111")
    assert not is_card("0000000000000000")
    assert is_resident_id("11010519491231002X")
    assert not is_resident_id("110105194913310021"), "no such month"


HOSTILE = (
    "a", "1", "-", "AB12 ", "a.b@", "x.x.", "eyJ", "eyJa.", "://a:", "token", "token=", "+1 2 3 ", "4111 ", "sk-",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAA", "a@a.", "密码：", "DE89 ", "DE89", "a'", "://x",
    "a@1.", "a@a.a-", "a@a.aa:b", "%40", "a\u200b", "4111\u00a0", "６２００－",
)  # fmt: skip
"""A pattern that tries everything again from every place would not come back from these."""
IN_A_CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (CPU_S_MAX, CPU_S_MAX))
from cortex.adapters.recognisers import RuleRecogniser
print(len(RuleRecogniser().detect(sys.stdin.buffer.read().decode(), "en")))
"""


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (EVIL_CHARACTERS // len(piece))
    assert len(RuleRecogniser().detect(text, "en")) <= EVIL_CHARACTERS


def test_a_megabyte_of_hostile_text_is_read_to_its_end_in_a_child_that_may_not_take_long() -> None:
    text = "".join(piece * (MEGABYTE // len(HOSTILE) // len(piece)) for piece in HOSTILE)
    code = IN_A_CHILD.replace("CPU_S_MAX", str(CPU_S_MAX))
    child = subprocess.run([sys.executable, "-c", code], input=text.encode(), capture_output=True, check=False)
    assert child.returncode == 0, child.stderr.decode()
    assert int(child.stdout) <= len(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.pattern.pattern[:24])
def test_each_pattern_looks_only_so_far_from_each_place(rule: Rule) -> None:
    """Every repetition says how often at most, so what a place costs does not grow with the text."""
    plain = re.sub(r"\\.", "x", rule.pattern.pattern)
    plain = re.sub(r"\[\^?\]?[^\]]*\]", "x", plain)
    assert re.search(r"[*+]|\{\d+,\}|\{,", plain) is None
