"""Blocks of a document as sections below their headings."""

from eval.proposing.pages import sections


def block(kind: str, text: str, level: int | None = None) -> dict[str, object]:
    return {"kind": kind, "text": text, "level": level}


def test_headings_stand_above_their_texts_and_tables_are_passed_over() -> None:
    found = list(
        sections(
            [
                block("heading", "Travel", 1),
                block("paragraph", "Book\ntrains."),
                block("heading", "Hotels", 2),
                block("heading", "Europe", 3),
                block("table", "city: Paris; price: 9"),
                block("list_item", "Up to 160 euros."),
                block("heading", "Fines", 2),
                block("paragraph", "Are yours."),
            ],
            "Travel",
        )
    )
    assert [(one.headings, one.text) for one in found] == [
        ((), "Book trains."),
        (("Hotels", "Europe"), "Up to 160 euros."),
        (("Fines",), "Are yours."),
    ]
