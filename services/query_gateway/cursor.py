"""Pages of one query: an opaque text that names the offset and the query that it belongs to."""

import base64
import binascii
import hashlib
import json

from cortex.domain.errors import Invalid

OFFSET_MAX = 400


def fingerprint(*parts: object) -> str:
    return hashlib.sha256("\x00".join(map(str, parts)).encode()).hexdigest()[:16]


def encode_cursor(offset: int, query: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([offset, query]).encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None, query: str) -> int:
    """The offset; raises Invalid for a cursor of another query, or of nobody's making."""
    if cursor is None:
        return 0
    try:
        offset, owner = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError):
        raise Invalid("cursor: not a cursor of this service; leave it out to start at the first page") from None
    if owner != query:
        raise Invalid("cursor: belongs to another query; send the same query and filters, or leave it out")
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 < offset <= OFFSET_MAX:
        raise Invalid(f"cursor: pages end at {OFFSET_MAX} documents; narrow the query with filters")
    return offset
