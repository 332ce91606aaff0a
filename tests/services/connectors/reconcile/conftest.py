"""Postgres and an index, as the reconciler has them."""

from collections.abc import AsyncIterator

import pytest

from cortex.adapters.qdrant import Qdrant, connect
from cortex.testing.vector_index import contract_collection
from tests.cortex.adapters.postgres.conftest import database, store
from tests.local_servers import KeyedUrl

__all__ = ["database", "store"]


@pytest.fixture
async def index(qdrant_url: KeyedUrl) -> AsyncIterator[Qdrant]:
    async with connect(url=qdrant_url.url, key=qdrant_url.key) as qdrant:
        yield qdrant


@pytest.fixture
async def collection(index: Qdrant) -> AsyncIterator[str]:
    async with contract_collection(index) as name:
        yield name
