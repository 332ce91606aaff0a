"""From which day a statement is."""

from datetime import UTC, datetime

import pytest

from cortex.domain.dated import as_of, undated, undated_of_any_day

MAY = datetime(2026, 5, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "As of 6 May 2026: "),
        ("de", "Stand 6. Mai 2026: "),
        ("zh", "截至2026年5月6日："),
        ("ja", "2026年5月6日現在："),
    ],
)
def test_a_date_is_said_in_the_language_of_its_text(language: str, said: str) -> None:
    assert as_of(MAY, language) == said
    assert undated_of_any_day(f"{said}It costs 5.") == "It costs 5."


def test_what_was_said_before_the_statement_is_taken_off_again() -> None:
    assert undated("As of 6 May 2026: It costs 5.", MAY, "en") == "It costs 5."
    assert undated("As of 7 May 2026: It costs 5.", MAY, "en").startswith("As of")
    assert undated("It costs 5.", None, "en") == "It costs 5."
    assert undated_of_any_day("As of May: it costs 5.") == "As of May: it costs 5."
