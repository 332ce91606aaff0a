"""Immutable ids, all UUIDs, and how derived ones are made (architecture section 3)."""

import re
import uuid
from typing import NewType

from cortex.domain.errors import Invalid
from cortex.domain.storable import is_storable

TenantId = NewType("TenantId", uuid.UUID)
PersonId = NewType("PersonId", uuid.UUID)
GroupId = NewType("GroupId", uuid.UUID)
SourceId = NewType("SourceId", uuid.UUID)
ContainerId = NewType("ContainerId", uuid.UUID)
DocumentId = NewType("DocumentId", uuid.UUID)
ChunkId = NewType("ChunkId", uuid.UUID)
AnswerId = NewType("AnswerId", uuid.UUID)
ConversationId = NewType("ConversationId", uuid.UUID)

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
EXTERNAL_ID_CHARACTERS_MAX = 1024
_IN_EMAIL = r"[^@\s:/\x00-\x1f\x7f\ud800-\udfff]+"
_EMAIL = re.compile(f"{_IN_EMAIL}@{_IN_EMAIL}")


def slug(name: str) -> str:
    """A tenant's or source's name: lower-case letters, digits and hyphens, at most 63."""
    if not SLUG.fullmatch(name):
        raise Invalid(f"name {name!r}: use 1 to 63 of a-z, 0-9 and '-', not at either end")
    return name


def external_id(value: str) -> str:
    """A source's own id: any text without control characters, at most 1,024 characters."""
    if not 0 < len(value) <= EXTERNAL_ID_CHARACTERS_MAX:
        raise Invalid(f"external id: use 1 to {EXTERNAL_ID_CHARACTERS_MAX} characters, not {len(value)}")
    if any(ord(character) < 32 or ord(character) == 127 for character in value):
        raise Invalid("external id: contains a control character")
    if not is_storable(value):
        raise Invalid("external id: contains half of a surrogate pair")
    return value


def normalise_email(value: str) -> str:
    """Trimmed and lower-cased; an alias of a person, never an id."""
    email = value.strip().lower()
    if not _EMAIL.fullmatch(email) or len(email) > 254:
        raise Invalid(f"e-mail {value!r}: expected name@domain")
    return email


def tenant_id(name: str) -> TenantId:
    return TenantId(uuid.uuid5(uuid.NAMESPACE_URL, f"cortex:tenant:{slug(name)}"))


def _derived(tenant: TenantId, kind: str, *parts: object) -> uuid.UUID:
    return uuid.uuid5(tenant, "\x00".join([kind, *map(str, parts)]))


def source_id(tenant: TenantId, name: str) -> SourceId:
    """Derived, so that an ACL may name a group or container of a source before the source exists."""
    return SourceId(_derived(tenant, "source", slug(name)))


def document_id(tenant: TenantId, source: SourceId, external: str) -> DocumentId:
    return DocumentId(_derived(tenant, "document", source, external))


def container_id(tenant: TenantId, source: SourceId, external: str) -> ContainerId:
    return ContainerId(_derived(tenant, "container", source, external))


def group_id(tenant: TenantId, source: SourceId | None, external: str) -> GroupId:
    """A group of `source`, or of the directory where `source` is None."""
    return GroupId(_derived(tenant, "group", source or "directory", external))


def chunk_id(document: DocumentId, revision: int, ordinal: int) -> ChunkId:
    return ChunkId(uuid.uuid5(document, f"{revision}\x00{ordinal}"))
