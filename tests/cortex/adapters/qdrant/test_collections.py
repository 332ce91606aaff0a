"""Collections of an earlier version are brought up to date where they are found."""

from qdrant_client import models

from cortex.adapters.qdrant import Qdrant
from cortex.domain.vector import CollectionSpec


async def test_an_old_threshold_of_exhaustive_search_is_replaced(index: Qdrant) -> None:
    spec = CollectionSpec(alias="old-threshold", collection="old-threshold-1", dense_dimensions=384)
    await index.collections().ensure_collection(spec)
    wanted = (await index.client.get_collection(spec.collection)).config.hnsw_config
    old = models.HnswConfigDiff(full_scan_threshold=60_000)
    await index.client.update_collection(spec.collection, hnsw_config=old)
    await index.collections().ensure_collection(spec)
    found = (await index.client.get_collection(spec.collection)).config.hnsw_config
    assert (found.full_scan_threshold, found.payload_m) == (wanted.full_scan_threshold, wanted.payload_m)
    assert found.full_scan_threshold != 60_000
    await index.collections().drop_collection(spec.collection)
