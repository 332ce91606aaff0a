"""The adapter against a real server."""

from cortex.testing.vector_index import VectorSearchContract, VectorWriteContract


class TestSearch(VectorSearchContract):
    pass


class TestWrite(VectorWriteContract):
    pass
