"""From a file's path, bytes and times to a document: pure. Beyond the heads read here, the bytes are the parser's."""

import email
import email.header
import email.policy
import email.utils
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from cortex.domain.acl import Acl, acl_json
from cortex.domain.change import DocumentState
from cortex.domain.errors import Invalid
from services.connectors.sources.files.plain_yaml import BYTES_MAX, load_mapping
from services.connectors.sources.files.tree import Stat

TEXT_CHARACTERS_MAX = 512
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRONT_MATTER = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_MESSAGE = re.compile(rb"^\[(\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?)\] [^:\n]{1,80}: ", re.MULTILINE)
_MESSAGES_MIN = 2
_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_MARKDOWN = frozenset(["md", "markdown"])
_MIME: Mapping[str, str] = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "txt": "text/plain",
    "rst": "text/x-rst",
    "log": "text/plain",
    "html": "text/html",
    "htm": "text/html",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "eml": "message/rfc822",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


@dataclass(frozen=True, slots=True)
class Head:
    """What the start of a file says of it."""

    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a file lies, and what stands in its document without reading it."""

    path: str
    container: str
    acl: Acl | None
    url_prefix: str | None


def acl_digest(acl: Acl | None) -> str:
    if acl is None:
        return "-"
    return hashlib.sha256(json.dumps(acl_json(acl), sort_keys=True).encode()).hexdigest()[:16]


def fingerprint(stat: Stat, acl: Acl | None, *, config_digest: str) -> str:
    """Equal as long as the file, its own ACL and what the config adds are; ends with `acl_digest`."""
    parts = (config_digest, stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, acl_digest(acl))
    return ":".join(map(str, parts))


def _extension(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def normalise(placed: Placed, data: bytes, *, modified_ns: int, fingerprint: str) -> DocumentState:
    extension = _extension(placed.path)
    head = Head()
    if extension in _MARKDOWN:
        head = front_matter(data)
    elif extension == "eml":
        head = mail_headers(data)
    elif extension == "txt":
        head = message_times(data)
    modified = _modified(modified_ns)
    url = f"{placed.url_prefix.rstrip('/')}/{quote(placed.path)}" if placed.url_prefix else None
    return DocumentState(
        external_id=placed.path,
        data=data,
        name=placed.path.rpartition("/")[2],
        mime=_MIME.get(extension),
        title=head.title,
        url=head.url or url,
        author=head.author,
        created_at=head.created_at or head.updated_at or modified,
        updated_at=head.updated_at or head.created_at or modified,
        container=placed.container,
        acl=placed.acl,
        fingerprint=fingerprint,
    )


def _modified(modified_ns: int) -> datetime | None:
    try:
        return _EPOCH + timedelta(microseconds=modified_ns // 1000)
    except OverflowError:
        return None


def front_matter(data: bytes) -> Head:
    """The YAML between `---` lines at the start of Markdown; nothing where it is not valid."""
    found = _FRONT_MATTER.match(data[: BYTES_MAX + 16])
    if not found:
        return Head()
    try:
        items = load_mapping(found[1])
    except Invalid:
        return Head()  # the parser warns of it

    def text(*keys: str) -> str | None:
        values = (items[key].value for key in keys if key in items)
        return next((_line(value) for value in values if isinstance(value, str) and _line(value)), None)

    url = text("url")
    return Head(
        title=text("title"),
        author=text("author"),
        created_at=_time(text("created", "created_at", "date")),
        updated_at=_time(text("updated", "updated_at")),
        url=url if url and url.startswith(("https://", "http://")) else None,
    )


def message_times(data: bytes) -> Head:
    """When the first and the last message of an exported chat were written; nothing for any other text."""
    found = _MESSAGE.findall(data)
    if len(found) < _MESSAGES_MIN:
        return Head()
    return Head(created_at=_time(found[0].decode()), updated_at=_time(found[-1].decode()))


def _line(text: str) -> str:
    return " ".join(text.split())[:TEXT_CHARACTERS_MAX]


def _time(text: str | None) -> datetime | None:
    """RFC 3339 or a date alone; without a zone it is UTC."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError:
        return None


def mail_headers(data: bytes) -> Head:
    """Subject, From and Date of a mail; what cannot be decoded is left out."""
    end = _HEADERS_END.search(data, 0, BYTES_MAX)
    message = email.message_from_bytes(data[: end.start() if end else BYTES_MAX], policy=email.policy.compat32)
    sent = _sent(str(message.get("Date", "")))
    author = email.utils.parseaddr(_decoded(str(message.get("From", ""))))[1].lower()
    return Head(
        title=_line(_decoded(str(message.get("Subject", "")))) or None,
        author=author[:TEXT_CHARACTERS_MAX] or None,
        created_at=sent,
        updated_at=sent,
    )


def _decoded(header: str) -> str:
    try:
        return str(email.header.make_header(email.header.decode_header(header)))
    except (LookupError, ValueError, email.errors.MessageError):
        return ""


def _sent(text: str) -> datetime | None:
    try:
        found = email.utils.parsedate_to_datetime(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
