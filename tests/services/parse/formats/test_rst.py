"""reStructuredText reads as its readers see it."""

import pytest

from cortex.domain.document import BlockKind
from services.parse.dispatch import parse
from services.parse.formats.rst import inline
from services.parse.settings import ParseLimits

MANUAL = """Title: Winch manual
Author: Ada Lovelace <ada@works.example>,
        Ben Bolt <ben@works.example>

.. contents::
   :local:

Starting
========

Turn the ``main switch`` and wait, as :ref:`the plan <plan>` says. A line
that is short.

Then run::

    winch --start

    winch --status

.. _plan: https://works.example/plan
.. This is a comment
   of two lines.

.. note:: Never start it
   without a :func:`guard`.

.. code-block:: python
   :linenos:

   if rope:
       pull()

In winter
---------

* Warm it up, see [1]_ and
  :pep:`8`.
* Wait.

=====  =====
Load   Speed
=====  =====
10 t   1 m/s
=====  =====

.. [1] The heating plan.
"""


def _read(text: str) -> list[tuple[BlockKind, str]]:
    parsed = parse(text.encode(), name="manual.rst", limits=ParseLimits())
    return [(block.kind, block.text) for block in parsed.blocks]


def test_a_document_reads_without_its_marks() -> None:
    assert _read(MANUAL) == [
        (
            BlockKind.PARAGRAPH,
            "Title: Winch manual\nAuthor: Ada Lovelace <ada@works.example>, Ben Bolt <ben@works.example>",
        ),
        (BlockKind.HEADING, "Starting"),
        (
            BlockKind.PARAGRAPH,
            "Turn the main switch and wait, as the plan says. A line that is short.",
        ),
        (BlockKind.PARAGRAPH, "Then run:"),
        (BlockKind.CODE, "    winch --start\n\n    winch --status"),
        (BlockKind.PARAGRAPH, "Never start it without a guard."),
        (BlockKind.CODE, "   if rope:\n       pull()"),
        (BlockKind.HEADING, "In winter"),
        (BlockKind.LIST_ITEM, "* Warm it up, see [1] and PEP 8."),
        (BlockKind.LIST_ITEM, "* Wait."),
        (BlockKind.TABLE, "Load   Speed\n10 t   1 m/s"),
        (BlockKind.PARAGRAPH, "[1] The heating plan."),
    ]


def test_the_title_is_the_fields_and_not_the_first_heading() -> None:
    parsed = parse(MANUAL.encode(), name="manual.rst", limits=ParseLimits())
    assert (parsed.title, parsed.author) == ("Winch manual", "ada@works.example")


def test_without_fields_the_first_heading_is_the_title() -> None:
    parsed = parse(b"=====\nWinch\n=====\n\nText.\n", name="a.rst", limits=ParseLimits())
    assert parsed.title == "Winch"


@pytest.mark.parametrize(
    ("marked", "read"),
    [
        ("the ``a * b`` of :class:`~rope.Knot`", "the a * b of rope.Knot"),
        ("see `the plan <https://works.example>`__ and `Starting`_", "see the plan and Starting"),
        ("**never** start it *alone*", "never start it alone"),
        ("2 * 3 * 4, f(*args, **kwargs)", "2 * 3 * 4, f(*args, **kwargs)"),
        ("wait ... then go", "wait ... then go"),
    ],
)
def test_inline_marks_go_and_signs_stay(marked: str, read: str) -> None:
    assert inline(marked) == read


def test_three_dots_are_text() -> None:
    assert _read("...and so it went on for the whole night.\n") == [
        (BlockKind.PARAGRAPH, "...and so it went on for the whole night.")
    ]
