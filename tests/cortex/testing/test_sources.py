"""The in-memory twins keep to the contract."""

import pytest

from cortex.domain.identity import tenant_id
from cortex.testing.source_contract import SourceContract, Subject
from cortex.testing.sources import MemorySources


class TestMemory(SourceContract):
    @pytest.fixture
    def subject(self) -> Subject:
        tenant, sources = tenant_id("contract"), MemorySources()
        return Subject(sources, sources, tenant, sources.add(tenant, name="wiki", config={}).id)
