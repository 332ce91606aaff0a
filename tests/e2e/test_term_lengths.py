"""A tenant of short passages is weighed by their own average, those from before it was known included."""

import asyncio

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.term_lengths import PostgresTermLengths
from cortex.domain.event import StageEvent
from cortex.domain.term_length import AVERAGE_TERMS, PASSAGES_MIN, TermLengths
from services.embed.lengths import FIRST
from tests.e2e.company import Company
from tests.e2e.running import Platform
from tests.e2e.waiting import eventually

SHELVES = PASSAGES_MIN * 5 // 4
"""A tenant is not counted again for every passage."""


def test_short_passages_are_weighed_by_their_own_average(company: Company, platform: Platform) -> None:
    async def looked() -> tuple[TermLengths, list[StageEvent]]:
        database = Database.connect(platform.urls["CORTEX_DATABASE_URL"], connections_max=1)
        try:
            store = PostgresTermLengths(database)
            return await store.lengths(company.tenant), await store.weighed_otherwise(
                company.tenant, after=FIRST, limit=1
            )
        finally:
            await database.close()

    def weighed() -> None:
        lengths, left = asyncio.run(looked())
        assert (lengths.passages, left) == (SHELVES, [])
        assert lengths.used < AVERAGE_TERMS

    for number in range(SHELVES):
        company.push(f"shelf-{number}", f"Shelf {number} holds crates.", title=f"Shelf {number}")
    company.indexed()
    eventually(weighed)
    (found, *_) = company.admin.search('"shelf 7"')["results"]
    assert found["title"] == "Shelf 7"
