"""Collections: made with their indexes before any data, checked when found, swapped by alias."""

from collections.abc import Mapping

from qdrant_client import AsyncQdrantClient, models

from cortex.adapters.qdrant import payload
from cortex.adapters.qdrant.errors import translated
from cortex.domain.errors import Conflict
from cortex.domain.vector import CollectionSpec

# A filter that leaves fewer points than this is scanned exactly, at about a microsecond each for 200 groups.
EXACT_SCAN_POINTS_MAX = 10_000
PAYLOAD_M = 16
# Mapped into memory instead of read into it: a shard opens in a fraction of the time, and asking each chunk for one of
# 200 groups takes a quarter of it.
ON_DISK = True
INT8_QUANTILE = 0.99


def _keyword(*, is_tenant: bool | None = None) -> models.KeywordIndexParams:
    # Only the tenant shapes the graph: edges for access lists cost time to build and do not pay.
    return models.KeywordIndexParams(
        type=models.KeywordIndexType.KEYWORD,
        is_tenant=is_tenant,
        enable_hnsw=None if is_tenant else False,
        on_disk=ON_DISK,
    )


def _counter(*, lookup: bool) -> models.IntegerIndexParams:
    return models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=lookup, range=True, enable_hnsw=False, on_disk=ON_DISK
    )


# What filters ask for, and no more: an index costs time at creation and at every write.
INDEXES: Mapping[str, models.PayloadSchemaParams] = {
    payload.TENANT: _keyword(is_tenant=True),
    payload.DOCUMENT: _keyword(),
    **{field: _keyword() for field in (*payload.ACL, payload.ACL_DENY)},
    payload.REVISION: _counter(lookup=True),
    payload.ACL_REVISION: _counter(lookup=False),
    payload.METADATA_REVISION: _counter(lookup=False),
    payload.SOURCE_TYPE: _keyword(),
    payload.SOURCE: _keyword(),
    payload.CONTAINERS: _keyword(),
    payload.AUTHORS: _keyword(),
    payload.LANGUAGE: _keyword(),
    payload.UPDATED: models.DatetimeIndexParams(
        type=models.DatetimeIndexType.DATETIME, enable_hnsw=False, on_disk=ON_DISK
    ),
    payload.IS_DELETED: models.BoolIndexParams(type=models.BoolIndexType.BOOL, enable_hnsw=False),
}


def _hnsw(spec: CollectionSpec) -> models.HnswConfigDiff:
    """Graphs by tenant alone: no query comes without one."""
    scan_kb = EXACT_SCAN_POINTS_MAX * spec.dense_dimensions * 4 // 1024
    return models.HnswConfigDiff(m=0, payload_m=PAYLOAD_M, full_scan_threshold=scan_kb)


def _mismatch(spec: CollectionSpec, info: models.CollectionInfo) -> str | None:
    """What keeps a found collection from holding the vectors of `spec`."""
    dense, sparse = info.config.params.vectors, info.config.params.sparse_vectors or {}
    found = dense.get(payload.DENSE) if isinstance(dense, dict) else None
    if found is None:
        return f"has no vector {payload.DENSE!r}"
    if found.size != spec.dense_dimensions:
        return f"holds {found.size} dimensions, and the model makes {spec.dense_dimensions}"
    if found.distance != models.Distance.COSINE:
        return f"compares by {found.distance.value}, not by cosine"
    if payload.SPARSE not in sparse or sparse[payload.SPARSE].modifier != models.Modifier.IDF:
        return f"has no sparse vector {payload.SPARSE!r} weighed by frequency"
    return None


class QdrantCollections:
    """The port VectorCollections."""

    def __init__(self, client: AsyncQdrantClient) -> None:
        self._client = client

    async def ensure_collection(self, spec: CollectionSpec) -> None:
        with translated():
            if not await self._client.collection_exists(spec.collection):
                await self._create(spec)
            info = await self._client.get_collection(spec.collection)
            mismatch = _mismatch(spec, info)
            if mismatch:
                raise Conflict(f"collection {spec.collection!r} {mismatch}")
            if info.config.hnsw_config.full_scan_threshold != _hnsw(spec).full_scan_threshold:
                await self._client.update_collection(spec.collection, hnsw_config=_hnsw(spec))
            for field, params in INDEXES.items():
                if field not in info.payload_schema:
                    await self._client.create_payload_index(spec.collection, field, params)
        if spec.alias not in await self.aliases():
            await self.switch_alias(alias=spec.alias, collection=spec.collection)

    async def switch_alias(self, *, alias: str, collection: str) -> None:
        # Creating an alias that exists moves it, in one step.
        change = models.CreateAlias(collection_name=collection, alias_name=alias)
        with translated():
            await self._client.update_collection_aliases([models.CreateAliasOperation(create_alias=change)])

    async def aliases(self) -> Mapping[str, str]:
        with translated():
            listed = await self._client.get_aliases()
        return {entry.alias_name: entry.collection_name for entry in listed.aliases}

    async def drop_collection(self, collection: str) -> None:
        with translated():
            await self._client.delete_collection(collection)

    async def _create(self, spec: CollectionSpec) -> None:
        await self._client.create_collection(
            spec.collection,
            vectors_config={
                payload.DENSE: models.VectorParams(
                    size=spec.dense_dimensions, distance=models.Distance.COSINE, on_disk=True
                )
            },
            sparse_vectors_config={payload.SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            hnsw_config=_hnsw(spec),
            quantization_config=models.ScalarQuantization(
                scalar=models.ScalarQuantizationConfig(
                    type=models.ScalarType.INT8, quantile=INT8_QUANTILE, always_ram=True
                )
            ),
            on_disk_payload=True,
            strict_mode_config=models.StrictModeConfig(
                enabled=True, unindexed_filtering_retrieve=False, unindexed_filtering_update=False
            ),
        )
