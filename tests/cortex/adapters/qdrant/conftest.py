"""One server and one collection for the tests of the adapter."""

from collections.abc import AsyncIterator

import pytest

from cortex.adapters.qdrant import Qdrant, connect
from cortex.testing.vector_index import contract_collection
from tests.cortex.adapters.qdrant_edge.process import KEY, edge_process


@pytest.fixture(scope="session")
async def index(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Qdrant]:
    async with edge_process(tmp_path_factory.mktemp("qdrant")) as edge, connect(url=edge.url, key=KEY) as qdrant:
        yield qdrant


@pytest.fixture(scope="session")
async def collection(index: Qdrant) -> AsyncIterator[str]:
    async with contract_collection(index) as name:
        yield name
