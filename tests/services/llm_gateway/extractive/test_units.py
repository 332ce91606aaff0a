"""Passages cut into what can be quoted whole."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.llm_gateway.extractive.units import cut, units
from tests.services.llm_gateway.extractive.passages import passage

CASES = [
    ("One is here. Two is there! Three?", ["One is here.", "Two is there!", "Three?"]),
    ("Ask Dr. Meier, e.g. by mail. Then wait.", ["Ask Dr. Meier, e.g. by mail.", "Then wait."]),
    ("Version 2.4 is out. Costs 4.500 Euro.", ["Version 2.4 is out.", "Costs 4.500 Euro."]),
    ("Er läuft bis zum 31. Juli 2030. Danach z. B. neu.", ["Er läuft bis zum 31. Juli 2030.", "Danach z. B. neu."]),
    ("There were 19. We called them.", ["There were 19.", "We called them."]),
    ("He said “go.” She went.", ["He said “go.”", "She went."]),
    ("时间为72小时。温度循环！好吗？", ["时间为72小时。", "温度循环！", "好吗？"]),
    ("「行きます。」次は明日です。", ["「行きます。」", "次は明日です。"]),
    ("Rules:\n- one thing\n- another thing", ["Rules:", "- one thing", "- another thing"]),
    ("A sentence that is\nwrapped goes on. Next.", ["A sentence that is\nwrapped goes on.", "Next."]),
    ("host: ham-1; role: test. Really; owner: Ann", ["host: ham-1; role: test. Really; owner: Ann"]),
    ("name: A; n: 1; m: 2\nname: B; n: 2; m: 3", ["name: A; n: 1; m: 2", "name: B; n: 2; m: 3"]),
    ("[2026-05-06 09:13] Priya: We go. On Tuesday.", ["[2026-05-06 09:13] Priya: We go. On Tuesday."]),
    ("   ", []),
]


@pytest.mark.parametrize(("block", "expected"), CASES)
def test_blocks_are_cut_into_what_can_be_quoted_whole(block: str, expected: list[str]) -> None:
    assert [block[start:end] for start, end in cut(block)] == expected


def test_a_long_message_is_cut_like_prose() -> None:
    message = "[2026-05-06 09:13] Priya: " + "This is one of many sentences. " * 20
    assert len(list(cut(message.strip()))) == 20


def test_units_know_their_block() -> None:
    found = units(passage("First. Second.", "Third."))
    assert [(unit.anchor.block_id, unit.anchor.start, unit.anchor.end) for unit in found] == [
        (0, 0, 6),
        (0, 7, 14),
        (1, 0, 6),
    ]


@given(st.text(alphabet=st.sampled_from("ab .!?:;\n-。！1[]"), max_size=120))
def test_no_letter_is_lost_and_none_is_quoted_twice(block: str) -> None:
    ranges = list(cut(block))
    assert all(start < end for start, end in ranges)
    assert all(a[1] <= b[0] for a, b in pairwise(ranges))
    covered = "".join(block[start:end] for start, end in ranges)
    assert [c for c in covered if not c.isspace()] == [c for c in block if not c.isspace()]
