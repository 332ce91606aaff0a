"""What is told of an unexpected error."""

from cortex.domain.unexpected import CAUSES_MAX, outline


def _failed() -> Exception:
    try:
        try:
            raise KeyError("content of a document")
        except KeyError as error:
            raise ValueError("a question") from error
    except ValueError as error:
        return error


def test_kinds_and_places_are_told_and_messages_are_not() -> None:
    told = outline(_failed())
    assert told.startswith("ValueError from KeyError\n")
    assert 'test_unexpected.py", line' in told
    assert "content of a document" not in told.splitlines()[0]


def test_a_chain_without_an_end_has_one_here() -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert outline(first).partition("\n")[0].count("from") == CAUSES_MAX - 1
