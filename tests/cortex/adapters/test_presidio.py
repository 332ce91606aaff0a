"""Names of people and places, where the `presidio` extra is installed."""

import sys

import pytest

pytest.importorskip("presidio_analyzer", reason="the presidio extra is not installed")

from cortex.adapters.presidio import PresidioRecogniser
from cortex.adapters.recognisers import RuleRecogniser
from cortex.domain.privacy import Kind

TEXT = "Ann Lee from Toronto wrote to ann@acme.example that Maria Gonzalez moved to Berlin."
CODES = "Error E_CONN_42 on host db-01, part MX-1099-B, version 2.3.1."


@pytest.fixture(scope="module")
def recogniser() -> PresidioRecogniser:
    return PresidioRecogniser(RuleRecogniser())


def test_names_and_places_are_found_beside_what_the_rules_find(recogniser: PresidioRecogniser) -> None:
    asked_for: list[str] = []
    sys.addaudithook(lambda event, _: asked_for.append(event) if event.startswith("socket.get") else None)
    found = {(TEXT[one.start : one.end], one.kind) for one in recogniser.detect(TEXT, "en")}
    assert found == {
        ("Ann Lee", Kind.PERSON),
        ("Maria Gonzalez", Kind.PERSON),
        ("Toronto", Kind.PLACE),
        ("Berlin", Kind.PLACE),
        ("ann@acme.example", Kind.EMAIL),
    }
    assert asked_for == [], "nothing is fetched"
    assert "torch" not in sys.modules


def test_codes_are_no_names(recogniser: PresidioRecogniser) -> None:
    assert recogniser.detect(CODES, "en") == []


def test_other_languages_are_left_to_the_rules(recogniser: PresidioRecogniser) -> None:
    assert recogniser.detect("Anna Schmidt wohnt in Berlin.", "de") == []


def test_another_model_is_another_version(recogniser: PresidioRecogniser) -> None:
    assert recogniser.version != RuleRecogniser.version
