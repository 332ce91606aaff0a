"""Opening the client, and the ports that stand on it."""

import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from qdrant_client import AsyncQdrantClient

from cortex.adapters.qdrant.collections import QdrantCollections
from cortex.adapters.qdrant.erasure import DocumentPoints
from cortex.adapters.qdrant.errors import translated
from cortex.adapters.qdrant.reader import QdrantReader
from cortex.adapters.qdrant.writer import QdrantWriter
from cortex.domain.errors import Invalid

GRPC_PORT = 6334
TIMEOUT_S = 60
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# A restarted server is found again within a third of a second; gRPC's own backoff would take up to two minutes.
_CHANNEL = {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.min_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 300,
    "grpc.enable_http_proxy": 0,
}


@dataclass(frozen=True, slots=True)
class Qdrant:
    """One connection. `collection` may be a collection or an alias; readers use the alias."""

    client: AsyncQdrantClient

    def collections(self) -> QdrantCollections:
        return QdrantCollections(self.client)

    def writer(self, collection: str) -> QdrantWriter:
        return QdrantWriter(self.client, collection)

    def reader(self, collection: str) -> QdrantReader:
        return QdrantReader(self.client, collection)

    def document_points(self) -> DocumentPoints:
        return DocumentPoints(self.client)

    async def ping(self) -> None:
        """Raises Transient when the server does not answer."""
        with translated():
            await self.client.info()


def _client(url: str, key: str | None) -> AsyncQdrantClient:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Invalid(f"Qdrant's address {url!r}: expected http://host:port or https://host:port of its gRPC side")
    with warnings.catch_warnings():
        if parts.hostname in _LOOPBACK:
            warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        return AsyncQdrantClient(
            host=parts.hostname,
            grpc_port=parts.port or GRPC_PORT,
            https=parts.scheme == "https",
            api_key=key,
            prefer_grpc=True,
            timeout=TIMEOUT_S,
            grpc_options=dict(_CHANNEL),
            check_compatibility=False,
        )


@asynccontextmanager
async def connect(*, url: str, key: str | None) -> AsyncIterator[Qdrant]:
    """A client of the gRPC side at `url`. Opens nothing before the first call, and needs no server until then."""
    client = _client(url, key)
    try:
        yield Qdrant(client)
    finally:
        await client.close()
