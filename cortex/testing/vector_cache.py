"""What every cache of vectors must keep to."""

import array

import pytest

from cortex.domain.encoding import PassageEncoding, StoredTokens
from cortex.domain.identity import TenantId
from cortex.ports.vector_cache import VectorCache

MODEL = "model@1:0123456789abcdef"


def encoding(*floats: float, tokens: int = 2) -> PassageEncoding:
    stored = StoredTokens(bytes(tokens), tuple(range(tokens)))
    return PassageEncoding(array.array("f", floats).tobytes(), stored, truncated=False)


class VectorCacheContract:
    """Subclass as `Test...` and give it fixtures `vectors`, `tenant` and `other_tenant`, all empty."""

    async def test_a_vector_comes_back_as_it_was_said_to_be_stored(
        self, vectors: VectorCache, tenant: TenantId
    ) -> None:
        made = {"a": encoding(0.6, -0.8), "b": encoding(1.0, 1 / 3)}
        saved = await vectors.save(tenant, model_key=MODEL, encodings=made)
        found = await vectors.dense(tenant, model_key=MODEL, embedded_sha256s={"a", "b", "c"})
        assert found == saved
        assert found["a"] == pytest.approx((0.6, -0.8), abs=1e-3)

    async def test_saving_again_changes_nothing(self, vectors: VectorCache, tenant: TenantId) -> None:
        first = await vectors.save(tenant, model_key=MODEL, encodings={"a": encoding(0.6, -0.8)})
        await vectors.save(tenant, model_key=MODEL, encodings={"a": encoding(0.6, -0.8)})
        assert await vectors.dense(tenant, model_key=MODEL, embedded_sha256s=["a"]) == first

    async def test_nothing_asked_and_nothing_saved(self, vectors: VectorCache, tenant: TenantId) -> None:
        assert await vectors.save(tenant, model_key=MODEL, encodings={}) == {}
        assert await vectors.dense(tenant, model_key=MODEL, embedded_sha256s=[]) == {}

    async def test_another_model_has_none_of_it(self, vectors: VectorCache, tenant: TenantId) -> None:
        await vectors.save(tenant, model_key=MODEL, encodings={"a": encoding(0.6, -0.8)})
        assert await vectors.dense(tenant, model_key="other", embedded_sha256s=["a"]) == {}

    async def test_another_tenant_has_none_of_it(
        self, vectors: VectorCache, tenant: TenantId, other_tenant: TenantId
    ) -> None:
        await vectors.save(tenant, model_key=MODEL, encodings={"a": encoding(0.6, -0.8)})
        assert await vectors.dense(other_tenant, model_key=MODEL, embedded_sha256s=["a"]) == {}
