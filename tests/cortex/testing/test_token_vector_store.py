"""The in-memory twin keeps to the contract."""

import pytest

from cortex.testing.token_vector_store import MemoryTokenVectorStore, Subject, TokenVectorStoreContract


class TestMemory(TokenVectorStoreContract):
    @pytest.fixture
    def subject(self) -> Subject:
        store = MemoryTokenVectorStore()
        return Subject(store, store.put)
