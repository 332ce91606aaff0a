"""E-mail (RFC 5322): who, when and the text of one message. Quoted history is QUOTE; attachments are named, not read.

Headers are decoded by hand over the lenient policy, since the strict one raises whatever a broken header makes it.
"""

import email
import email.header
import email.policy
import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.message import Message

from cortex.domain.document import BlockKind, ParsedDocument
from cortex.domain.errors import Exhausted, Invalid
from services.parse.blocks import BlockList
from services.parse.formats.plain import add_paragraphs, unwrap
from services.parse.settings import ParseLimits
from services.parse.text import clean, collapse, decode
from services.parse.times import rfc3339

_HISTORY = re.compile(
    r"-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|原始邮件|Forwarded message)\s*-{2,}"
    r"|On .{5,200} wrote:|Am .{5,200} schrieb .{1,200}:|Le .{5,200} a écrit ?:|.{2,200}写道[:：]",
    re.S,
)

_SHOWN = ("From", "To", "Cc", "Date")


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    try:
        message = email.message_from_bytes(data, policy=email.policy.compat32)
    except (ValueError, LookupError) as error:
        raise Invalid("is not an e-mail that can be read; export it again") from error
    if not any(message[header] for header in ("From", "Subject", "Date", "Message-ID", "Received")):
        raise Invalid("is not an e-mail: it has no From, Subject or Date header")
    blocks = BlockList(limits, message_id=header_text(message, "Message-ID") or None)
    shown = [f"{header}: {text}" for header in _SHOWN if (text := header_text(message, header))]
    blocks.add(BlockKind.PARAGRAPH, "\n".join(shown))
    warnings: list[str] = []
    body = _body(message, limits, warnings)
    if body is not None:
        _add_body(blocks, body, limits)
    return ParsedDocument(
        blocks.all(),
        title=header_text(message, "Subject") or None,
        author=header_text(message, "From") or None,
        created_at=rfc3339(header_text(message, "Date")),
        warnings=tuple(warnings),
    )


def header_text(message: Message, name: str) -> str:
    """Decoded, on one line; as it stands where the encoding is broken or unknown."""
    raw = message.get(name)
    if raw is None:
        return ""
    try:
        text = str(email.header.make_header(email.header.decode_header(raw)))
    except (HeaderParseError, LookupError, ValueError):
        text = str(raw)
    return collapse(clean(text))


def _body(message: Message, limits: ParseLimits, warnings: list[str]) -> Message | None:
    """The first plain part with text, else the first HTML part. Names what is left out in `warnings`."""
    plain: Message | None = None
    rich: Message | None = None
    for part in _parts(message, limits):
        attached = _file_name(part)
        kind = part.get_content_type()
        if attached:
            warnings.append(f"attachment not read: {attached}")
        elif kind == "text/plain" and plain is None and _payload(part).strip():
            plain = part
        elif kind == "text/html" and rich is None:
            rich = part
    return plain or rich


def _parts(message: Message, limits: ParseLimits) -> Iterator[Message]:
    """Leaves, without those of attached messages."""
    waiting, seen = [message], 0
    while waiting:
        part = waiting.pop()
        seen += 1
        if seen > limits.parts_max:
            raise Exhausted(f"has more than {limits.parts_max:,} parts (parts_max)")
        # Asked of a leaf, `get_payload` would decode it.
        inner = part.get_payload() if part.is_multipart() else None
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            waiting.extend(child for child in reversed(inner) if isinstance(child, Message))
        else:
            yield part


def _file_name(part: Message) -> str | None:
    """The name of an attachment, or what stands for it."""
    try:
        name = part.get_filename()
        disposition = part.get_content_disposition()
    except (ValueError, LookupError, TypeError, AttributeError):
        return "unreadable name"
    if part.get_content_maintype() == "message":
        return name or "message"
    if disposition == "attachment" or (name and part.get_content_maintype() != "text"):
        return collapse(clean(name or "")) or "unnamed"
    return None


def _payload(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError):
        return b""
    return payload if isinstance(payload, bytes) else b""


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _add_body(blocks: BlockList, body: Message, limits: ParseLimits) -> None:
    text = decode(_payload(body), declared=_charset(body)).text
    if body.get_content_type() == "text/html":
        from services.parse.formats.html import add_tree, visible_tree

        if text.strip():
            add_tree(blocks, visible_tree(text), limits=limits, line_offset=None)
        return
    own, history = split_history(clean(text).split("\n"))
    add_paragraphs(blocks, own, in_message=True)
    for paragraph in history:
        blocks.add(BlockKind.QUOTE, unwrap(paragraph))


def split_history(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """The author's own lines, then paragraphs of what is quoted: after a line that announces it, or behind `>`."""
    own: list[str] = []
    quoted: list[str] = []
    for number, line in enumerate(lines):
        if _HISTORY.fullmatch(line.strip()):
            quoted.extend(lines[number:])
            break
        if line.startswith(">"):
            quoted.append(line)
        else:
            if quoted and quoted[-1]:
                quoted.append("")
            own.append(line)
    paragraphs: list[list[str]] = [[]]
    for line in quoted:
        line = re.sub(r"^(?:>\s?)+", "", line)
        if line.strip():
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return own, [paragraph for paragraph in paragraphs if paragraph]
