"""Object store over obstore: a folder in evaluation mode, S3 in a cluster."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.exceptions import NotFoundError as ObjectNotFoundError
from obstore.store import LocalStore, ObjectStore, S3Store

from cortex.domain.errors import Invalid, NotFound, Transient

KEY_BYTES_MAX = 1024


def _store(url: str) -> ObjectStore:
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(unquote(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalStore(folder)
    if parts.scheme == "s3":
        return S3Store(parts.netloc, prefix=parts.path.strip("/") or None)
    raise Invalid(f"object store {parts.scheme}://…: use file:///folder or s3://bucket/prefix")


class Objects:
    """Implements cortex.ports.object_store.ObjectStore. `url` is `file:///folder` or `s3://bucket/prefix`."""

    def __init__(self, url: str) -> None:
        self._store = _store(url)

    async def put(self, key: str, data: bytes) -> None:
        try:
            await obstore.put_async(self._store, _checked(key), data)
        except (BaseError, OSError) as error:
            raise Transient(f"the object store did not take {key}") from error

    async def get(self, key: str) -> bytes:
        try:
            result = await obstore.get_async(self._store, _checked(key))
            return bytes(await result.bytes_async())
        except (ObjectNotFoundError, FileNotFoundError) as error:
            raise NotFound(f"object {key} is not there") from error
        except (BaseError, OSError) as error:
            raise Transient(f"the object store did not give {key}") from error

    async def delete(self, key: str) -> None:
        try:
            await obstore.delete_async(self._store, _checked(key))
        except (ObjectNotFoundError, FileNotFoundError):
            return
        except (BaseError, OSError) as error:
            raise Transient(f"the object store did not delete {key}") from error

    async def keys(self, prefix: str) -> AsyncIterator[str]:
        async for batch in obstore.list(self._store, prefix):
            for meta in batch:
                yield meta["path"]


def _checked(key: str) -> str:
    parts = key.split("/")
    if not key or len(key.encode()) > KEY_BYTES_MAX or any(part in {"", ".", ".."} for part in parts):
        raise Invalid(f"object key {key!r}: use /-separated names, at most {KEY_BYTES_MAX} bytes")
    return key
