"""Addresses and numbers in quotes, mark-up, other widths, spaces and dashes are found where they stand."""

from collections import Counter

import pytest

from cortex.adapters.recognisers import RuleRecogniser
from cortex.adapters.recognisers.folding import readings
from cortex.domain.privacy import Kind, apart
from tests.cortex.adapters.recognisers.disguised import negatives, positives
from tests.cortex.adapters.recognisers.labelled import plain

POSITIVES = sorted(set(positives()))
NEGATIVES = sorted(set(negatives()))
KINDS = {Kind.EMAIL, Kind.IBAN, Kind.CREDIT_CARD}


def found(text: str) -> set[tuple[int, int, Kind]]:
    findings = apart(RuleRecogniser().detect(text, "en"))
    return {(one.start, one.end, one.kind) for one in findings if one.kind in KINDS}


def _named(text: str, findings: set[tuple[int, int, Kind]]) -> list[tuple[Kind, str]]:
    return sorted((kind, text[start:end]) for start, end, kind in findings)


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_what_is_in_disguise_is_found_where_it_stands(language: str) -> None:
    missed = {}
    for text, labels in (plain(marked) for of, marked in POSITIVES if of == language):
        if found(text) != labels:
            missed[text] = (_named(text, found(text)), _named(text, labels))
    assert missed == {}


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_versions_codes_hashes_and_failed_checks_are_left_alone(language: str) -> None:
    taken = {text: _named(text, found(text)) for of, text in NEGATIVES if of == language and found(text)}
    assert taken == {}


def test_precision_and_recall_of_each_kind() -> None:
    right: Counter[Kind] = Counter()
    wanted: Counter[Kind] = Counter()
    given: Counter[Kind] = Counter()
    for text, labels in [*(plain(marked) for _, marked in POSITIVES), *((text, set()) for _, text in NEGATIVES)]:
        hits = found(text)
        for counter, findings in ((right, hits & labels), (wanted, labels), (given, hits)):
            counter.update(kind for _, _, kind in findings)
    for kind in sorted(KINDS):
        recall, precision = right[kind] / wanted[kind], right[kind] / given[kind]
        print(f"{kind}: {wanted[kind]} wanted, recall {recall:.3f}, precision {precision:.3f}")
    assert all(right[kind] == wanted[kind] == given[kind] > 50 for kind in KINDS)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("plain", ["plain"]),
        ("größe １２", ["größe 12"]),
        ("a\u200bb", ["ab", "a b"]),
        ("ﬁn\u00a0…", ["fin …"]),
        ("x²①½", ["x²①½"]),
        ("u\u0308ber ٣", ["uber 3"]),
        ("a‑b–c—d−e", ["a-b–c–d-e"]),
    ],
)
def test_readings(text: str, reads: list[str]) -> None:
    given = list(readings(text))
    assert [reading.text for reading in given] == reads
    assert all(reading.span(0, len(reading.text)) == (0, len(text)) for reading in given)


def test_a_place_in_a_reading_is_the_same_place_in_the_original() -> None:
    text = "ﬁ\u200bx\u0308 end"
    (joined, *_) = readings(text)
    assert joined.text == "fix end"
    start, end = joined.span(joined.text.index("end"), len(joined.text))
    assert text[start:end] == "end"
    assert joined.span(0, 1) == joined.span(1, 2) == (0, 1)
