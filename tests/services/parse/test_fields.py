"""Fields at the head of a text name its title and author; prose that looks like them does not."""

import pytest

from services.parse.fields import author_of, leading_fields, title_of
from services.parse.formats import plain
from services.parse.settings import ParseLimits

PEP = """PEP: 572
Title: Assignment Expressions
Author: Chris Angelico <rosuav@gmail.com>, Tim Peters <tim.peters@gmail.com>,
        Guido van Rossum <guido@python.org>
Status: Final
Post-History:

Abstract
========

This is a proposal.
"""


def test_a_title_is_taken_from_the_fields_and_not_from_the_first_heading() -> None:
    parsed = plain.parse(PEP.encode(), name="pep-0572.rst", limits=ParseLimits())
    assert (parsed.title, parsed.author) == ("Assignment Expressions", "rosuav@gmail.com")


def test_a_field_goes_on_in_indented_lines() -> None:
    fields = leading_fields(PEP.splitlines())
    assert fields["Author"].endswith("Guido van Rossum <guido@python.org>")
    assert fields["Post-History"] == ""


def test_the_fields_of_restructuredtext_have_a_colon_in_front() -> None:
    fields = leading_fields(["", ":Title: Winch manual", ":Author: Ada Lovelace <ADA@works.example>", "", "Text."])
    assert (title_of(fields), author_of(fields)) == ("Winch manual", "ada@works.example")


@pytest.mark.parametrize(
    "text",
    [
        "Title: one field alone\n\nText.",
        "Subject: the pump\nwas replaced: yes\nand nothing more.",
        "We agreed on this:\nAction: order gaskets",
        "",
    ],
)
def test_prose_has_neither_title_nor_author(text: str) -> None:
    fields = leading_fields(text.splitlines())
    assert (title_of(fields), author_of(fields)) == (None, None)


def test_a_name_without_an_address_is_nobody() -> None:
    assert author_of({"Author": "Ada Lovelace"}) is None
