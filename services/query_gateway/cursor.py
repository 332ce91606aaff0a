"""Pages of one query: an opaque text that names the offset and the query that it belongs to."""

import base64
import binascii
import hashlib
import json
import uuid
from datetime import datetime
from typing import Any

from cortex.domain.errors import Invalid
from cortex.ports.conversation_store import Place

OFFSET_MAX = 400
NOBODYS = "not a cursor of this service; leave it out to start at the first page"


def fingerprint(*parts: object) -> str:
    return hashlib.sha256("\x00".join(map(str, parts)).encode()).hexdigest()[:16]


def encode_cursor(offset: int, query: str) -> str:
    return _packed([offset, query])


def decode_cursor(cursor: str | None, query: str) -> int:
    """The offset; raises Invalid for a cursor of another query, or of nobody's making."""
    if cursor is None:
        return 0
    try:
        offset, owner = _unpacked(cursor)
    except (binascii.Error, ValueError, TypeError):
        raise Invalid(NOBODYS, place="cursor") from None
    if owner != query:
        raise Invalid("belongs to another query; send the same query and filters, or leave it out", place="cursor")
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 < offset <= OFFSET_MAX:
        raise Invalid(f"pages end at {OFFSET_MAX} documents; narrow the query with filters", place="cursor")
    return offset


def encode_place(place: Place) -> str:
    return _packed([place.at.isoformat(), place.id])


def decode_place(cursor: str | None) -> Place | None:
    """Where a page of a list by time ended; raises Invalid for what nobody gave out."""
    if cursor is None:
        return None
    try:
        at, identifier = _unpacked(cursor)
        place = Place(datetime.fromisoformat(at), str(uuid.UUID(identifier)))
    except (binascii.Error, ValueError, TypeError, AttributeError):
        raise Invalid(NOBODYS, place="cursor") from None
    if place.at.tzinfo is None:
        raise Invalid(NOBODYS, place="cursor")
    return place


def _packed(parts: list[object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def _unpacked(cursor: str) -> tuple[Any, Any]:
    first, second = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    return first, second
