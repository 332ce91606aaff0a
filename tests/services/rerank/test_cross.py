"""The budget of a cross-encoder: how many passages it reads while others wait for it."""

import asyncio
from collections.abc import Sequence

import pytest

from services.rerank.cross import Budgeted
from services.rerank.settings import CrossSettings

PASSAGES = [f"passage {n}" for n in range(10)]


class Slow:
    """Answers once it is let go."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.going = asyncio.Event()

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked.append(len(passages))
        await self.going.wait()
        return [float(n) for n, _ in enumerate(passages)]


async def test_a_question_alone_gets_all_its_passages_read() -> None:
    slow = Slow()
    slow.going.set()
    budgeted = Budgeted(slow, CrossSettings(passages_max=10, passages_min=2, reading_max=20))
    assert await budgeted.score("q", PASSAGES) == [float(n) for n in range(10)]
    assert await budgeted.score("q", []) == []
    assert slow.asked == [10]


async def test_beside_others_it_gets_what_is_left_and_then_nothing() -> None:
    slow = Slow()
    budgeted = Budgeted(slow, CrossSettings(passages_max=10, passages_min=3, reading_max=16))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(budgeted.score("q", PASSAGES)) for _ in range(3)]
        third = await tasks[2]  # begun after the others, and not held up by them
        slow.going.set()
    assert slow.asked == [10, 6]
    assert tasks[1].result() == [*map(float, range(6)), None, None, None, None]
    assert third == [None] * 10


async def test_room_comes_back_even_after_a_failure() -> None:
    class Failing(Slow):
        async def score(self, query: str, passages: Sequence[str]) -> list[float]:
            raise TimeoutError

    budgeted = Budgeted(Failing(), CrossSettings(passages_max=10, passages_min=3, reading_max=10))
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await budgeted.score("q", PASSAGES)
