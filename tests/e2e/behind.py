"""Looks behind the scenes: rows that no route shows, and points of the index."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg.rows import dict_row
from qdrant_client import QdrantClient, models

from cortex.domain.identity import TenantId
from cortex.domain.vector import COLLECTION_ALIAS
from tests.e2e.running import Platform

POINTS_MAX = 1_000


class Behind:
    """With the administrator's role of the database, which services never have."""

    def __init__(self, database: psycopg.Connection[dict[str, Any]], index: QdrantClient) -> None:
        self._database = database
        self._index = index

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        return self._database.execute(statement, values).fetchall()

    def change(self, statement: str, *values: object) -> None:
        self._database.execute(statement, values)

    def document(self, document: str) -> dict[str, Any]:
        (row,) = self.rows("SELECT * FROM documents WHERE id = %s", document)
        return row

    def vectors(self, tenant: TenantId) -> dict[str, str]:
        """Stored vectors by hash, each with the transaction that wrote it last."""
        found = self.rows("SELECT embedded_sha256, xmin::text FROM chunk_vectors WHERE tenant_id = %s", tenant)
        return {row["embedded_sha256"]: row["xmin"] for row in found}

    def points(self, document: str) -> list[models.Record]:
        """Points of the document, of whatever revision, in the order of their ids."""
        only = models.FieldCondition(key="document_id", match=models.MatchValue(value=document))
        found, _ = self._index.scroll(
            COLLECTION_ALIAS,
            scroll_filter=models.Filter(must=[only]),
            limit=POINTS_MAX,
            with_payload=True,
            with_vectors=True,
        )
        return sorted(found, key=lambda point: str(point.id))

    def revisions(self, document: str) -> set[int]:
        """Of the document's points."""
        return {(point.payload or {})["revision"] for point in self.points(document)}


@contextmanager
def looking_behind(platform: Platform) -> Iterator[Behind]:
    address = urlsplit(platform.urls["CORTEX_QDRANT_URL"])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        index = QdrantClient(
            host=address.hostname,
            grpc_port=address.port or 0,
            https=False,
            api_key=platform.urls["CORTEX_QDRANT_KEY"],
            prefer_grpc=True,
            check_compatibility=False,
        )
    database = psycopg.connect(platform.urls["CORTEX_DATABASE_ADMIN_URL"], autocommit=True, row_factory=dict_row)
    try:
        yield Behind(database, index)
    finally:
        database.close()
        index.close()
