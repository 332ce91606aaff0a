"""The stores that the composed processes stand on."""

from tests.cortex.adapters.postgres.conftest import database, store

__all__ = ["database", "store"]
