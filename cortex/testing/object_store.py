"""What every store of objects must keep to."""

import pytest

from cortex.domain.errors import Invalid, NotFound
from cortex.ports.object_store import ObjectStore


class ObjectStoreContract:
    """Subclass as `Test...` and give it a fixture `objects`: an empty store."""

    @pytest.mark.parametrize("data", [b"", b"\x00\xff", b"x" * 1_000_000])
    async def test_what_was_put_is_given(self, objects: ObjectStore, data: bytes) -> None:
        await objects.put("raw/tenant/sha", data)
        assert await objects.get("raw/tenant/sha") == data

    async def test_putting_again_is_allowed(self, objects: ObjectStore) -> None:
        await objects.put("raw/sha", b"same")
        await objects.put("raw/sha", b"same")
        assert await objects.get("raw/sha") == b"same"

    async def test_an_absent_key_is_not_found(self, objects: ObjectStore) -> None:
        await objects.put("raw/tenant/sha", b"data")
        for key in ("raw/tenant/other", "raw/tenant"):
            with pytest.raises(NotFound):
                await objects.get(key)

    async def test_what_was_deleted_is_gone_and_may_be_deleted_again(self, objects: ObjectStore) -> None:
        await objects.put("raw/sha", b"data")
        await objects.delete("raw/sha")
        await objects.delete("raw/sha")
        with pytest.raises(NotFound):
            await objects.get("raw/sha")
        await objects.put("raw/sha", b"data")
        assert await objects.get("raw/sha") == b"data"

    async def test_keys_are_listed_below_a_folder_alone(self, objects: ObjectStore) -> None:
        for key in ("raw/one/a", "raw/one/b/c", "raw/one-two/d", "parsed/one/e"):
            await objects.put(key, b"")
        assert {key async for key in objects.keys("raw/one")} == {"raw/one/a", "raw/one/b/c"}
        assert {key async for key in objects.keys("nothing")} == set()

    @pytest.mark.parametrize("name", ["a b", "ä", "日本", "50%25", "a+b", "a#b?c", "x" * 200])
    async def test_names_are_kept_as_they_are(self, objects: ObjectStore, name: str) -> None:
        await objects.put(f"raw/{name}", name.encode())
        assert await objects.get(f"raw/{name}") == name.encode()
        assert [key async for key in objects.keys("raw")] == [f"raw/{name}"]

    @pytest.mark.parametrize(
        "key", ["", "/raw", "raw/", "raw//sha", "../raw", "raw/../../etc", "raw/./sha", "x" * 1025]
    )
    async def test_a_key_that_is_none_is_refused(self, objects: ObjectStore, key: str) -> None:
        for call in (objects.get(key), objects.put(key, b""), objects.delete(key)):
            with pytest.raises(Invalid):
                await call
