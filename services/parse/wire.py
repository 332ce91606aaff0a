"""What passes between the pool and a child: frames of a JSON head and raw bytes.

JSON, not pickles: a child that a file has taken over must not run code here.

    frame    = length of head (4 bytes, big-endian), length of body (8 bytes), head, body
    request  : head {name, mime}, body = the file
    reply    : head {}, body = JSON of the document; or head {error, message}, no body.
               `last` in the head: the child leaves after this reply
"""

import dataclasses
import json
import struct

from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.errors import Bug, CortexError, Exhausted, Invalid

PREFIX = struct.Struct(">IQ")
HEAD_BYTES_MAX = 64 * 1024

_ERRORS: dict[str, type[CortexError]] = {"invalid": Invalid, "exhausted": Exhausted, "bug": Bug}
_OPTIONAL = ("level", "page", "line", "message_id", "second")

Head = dict[str, str | None]


def frame_start(head: Head, body_bytes: int) -> bytes:
    """All of a frame but its body, which is not copied here."""
    encoded = json.dumps(head).encode()
    return PREFIX.pack(len(encoded), body_bytes) + encoded


def lengths(prefix: bytes, *, body_bytes_max: int) -> tuple[int, int]:
    """Of head and body. Raises Bug for a frame that nobody of ours writes."""
    head, body = PREFIX.unpack(prefix)
    if head > HEAD_BYTES_MAX or body > body_bytes_max:
        raise Bug(f"frame of {head} and {body} bytes passes its bound")
    return head, body


def encode_document(document: ParsedDocument) -> bytes:
    """Blocks as rows, their optional places left out where there are none."""
    rows = []
    for block in document.blocks:
        places = {name: getattr(block, name) for name in _OPTIONAL}
        rows.append([block.kind.value, block.text, {name: at for name, at in places.items() if at is not None}])
    fields = {
        field.name: getattr(document, field.name) for field in dataclasses.fields(document) if field.name != "blocks"
    }
    return json.dumps({**fields, "blocks": rows}, ensure_ascii=False, separators=(",", ":")).encode()


def decode_document(body: bytes) -> ParsedDocument:
    """Raises Bug for what `encode_document` would not have written."""
    try:
        fields = json.loads(body)
        rows = enumerate(fields.pop("blocks"))
        blocks = tuple(Block(number, BlockKind(kind), text, **places) for number, (kind, text, places) in rows)
        warnings = tuple(fields.pop("warnings"))
        return ParsedDocument(blocks, warnings=warnings, **fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Bug("a parser child sent something that is not a document") from error


def encode_error(error: CortexError) -> Head:
    names = {kind: name for name, kind in _ERRORS.items()}
    return {"error": names.get(type(error), "bug"), "message": str(error)}


def raise_error(head: Head) -> None:
    """Does nothing for the head of a document."""
    name = head.get("error")
    if name:
        raise _ERRORS.get(name, Bug)(head.get("message") or "")
