"""One document's row: locked, compared, written with its counters, tuples and events, in the caller's transaction."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import (
    as_json,
    look_up,
    resolved_json,
    write_references,
    write_relations,
)
from cortex.adapters.postgres.erased_rows import check_not_erased, remember_bytes
from cortex.adapters.postgres.events import queue_event
from cortex.adapters.postgres.privacy_rows import held_rules
from cortex.domain.acl import NOTHING_OF_ITS_OWN, AclOf, Inherit, Node, acl_json, resolve
from cortex.domain.change import DocumentState
from cortex.domain.errors import Invalid
from cortex.domain.event import ContentEvent
from cortex.domain.identity import ContainerId, SourceId, TenantId, container_id, document_id, external_id
from cortex.domain.privacy import PrivacyRules
from cortex.domain.relation import acl_relations
from cortex.domain.revision import (
    Counters,
    Decision,
    EventKind,
    Fingerprints,
    Stored,
    check_version,
    decide,
    sha256_json,
)
from cortex.ports.source_writer import Written

MIME_UNKNOWN = "application/octet-stream"

_STORED = text(
    "SELECT revision, metadata_revision, acl_revision, revision_sha256, metadata_sha256, acl_sha256, privacy_key,"
    " version, tombstoned_at IS NOT NULL AS tombstoned, title, source_id, raw_key, content_sha256, mime,"
    " pipeline_version, fingerprint, container_id, sharing_approved, (acl_resolved ->> 'inherit') AS inherit"
    " FROM documents WHERE id = :id FOR UPDATE"
)
_COLUMNS = (
    "tenant_id, id, source_id, external_id, container_id, name, given_title, title, url, author, mime, created_at,"
    " updated_at, ingested_at, raw_key, content_sha256, revision_sha256, metadata_sha256, acl_sha256, acl,"
    " acl_resolved, fingerprint, version, pipeline_version, revision, metadata_revision, acl_revision, privacy_key,"
    " stage"
)
_SET = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[4:] if name not in {"title", "stage"})
_WRITE = text(
    f"INSERT INTO documents ({_COLUMNS})"
    " VALUES (:tenant, :id, :source, :external_id, :container, :name, :given_title, :title, :url, :author, :mime,"
    " :created_at, :updated_at, :now, :raw_key, :content_sha256, :revision_sha256, :metadata_sha256, :acl_sha256,"
    " CAST(:acl AS jsonb), CAST(:acl_resolved AS jsonb), :fingerprint, :version, :pipeline_version, :revision,"
    " :metadata_revision, :acl_revision, :privacy_key, 'queued')"
    # Until the new content is parsed and screened, the title stays as it was; nothing shows one that was never indexed.
    f" ON CONFLICT (tenant_id, id) DO UPDATE SET {_SET},"
    " title = CASE WHEN documents.indexed_revision = 0 THEN excluded.title ELSE documents.title END,"
    " stage = CASE WHEN documents.revision = excluded.revision THEN documents.stage ELSE 'queued' END,"
    " tombstoned_at = NULL, tombstone_reason = NULL, sharing_approved = nullif(documents.sharing_approved,"
    " nullif(documents.sharing_approved, excluded.acl_resolved ->> 'public'))"
)
_TOUCH = text("UPDATE documents SET fingerprint = :fingerprint, version = :version WHERE id = :id")
_TOMBSTONE = text(
    "UPDATE documents SET tombstoned_at = :now, tombstone_reason = :reason,"
    " version = coalesce(:version, version), sharing_approved = NULL, acl_revision = acl_revision + 1 WHERE id = :id"
)
_EARLY_TOMBSTONE = text(
    "INSERT INTO documents (tenant_id, id, source_id, external_id, name, title, url, mime, ingested_at, raw_key,"
    " content_sha256, revision_sha256, metadata_sha256, acl_sha256, acl_resolved, version, pipeline_version, revision,"
    " metadata_revision, acl_revision, tombstoned_at, tombstone_reason)"
    " VALUES (:tenant, :id, :source, :external_id, '', '', '', '', :now, '', '', '', '', '',"
    " CAST(:acl_resolved AS jsonb), :version, '', 0, 0, 0, :now, :reason)"
)
_FORGET_FAILURE = text(
    "DELETE FROM source_failures WHERE source_id = :source AND external_id = :external_id AND stage = 'fetch'"
)


@dataclass(frozen=True, slots=True)
class Scene:
    """What every write of a page shares."""

    tenant: TenantId
    source: SourceId
    now: datetime
    pipeline_version: str
    recogniser: str = ""
    traceparent: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`sequence` is the permission write to wait for, None when there was none."""

    written: Written
    sequence: int | None


def raw_key(tenant: TenantId, content_sha256: str) -> str:
    return f"raw/{tenant}/{content_sha256}"


def _document_node(state: DocumentState, tenant: TenantId, source: SourceId) -> ContainerId | None:
    if state.container is None:
        if state.acl is None:
            raise Invalid(f"document {state.external_id!r}: give it an acl, a container, or both")
        return None
    return container_id(tenant, source, external_id(state.container))


async def put_document(connection: AsyncConnection, scene: Scene, state: DocumentState, reset: bool) -> Outcome:
    """Locks the row, decides which counters move, and writes row, tuples and events together."""
    identifier = document_id(scene.tenant, scene.source, external_id(state.external_id))
    parent = _document_node(state, scene.tenant, scene.source)
    acl = state.acl or NOTHING_OF_ITS_OWN
    names = await look_up(connection, scene.tenant, acl.principals())
    node = Node(resolve(acl, names.__getitem__), parent)
    rules = await held_rules(connection, scene.source)
    prints, content_sha256 = _fingerprints(state, node, scene, rules)
    row = (await connection.execute(_STORED, {"id": identifier})).one_or_none()
    await check_not_erased(connection, identifier, content_sha256, reset=reset)
    decision = decide(_stored(row), prints, version=state.version, reset=reset)
    await connection.execute(_FORGET_FAILURE, {"source": scene.source, "external_id": state.external_id})
    if decision.unchanged:
        if row is not None and (row.fingerprint, row.version) != (state.fingerprint, state.version):
            touch = {"fingerprint": state.fingerprint, "version": state.version, "id": identifier}
            await connection.execute(_TOUCH, touch)
        return Outcome(Written(identifier, decision.counters.revision, changed=False), None)
    values = _row(scene, state, node, prints, content_sha256, decision)
    if row is not None and state.title is None and row.title:
        values["title"] = row.title  # what the parser found last; it will look again if the content changed
    await connection.execute(_WRITE, values | {"id": identifier})
    await remember_bytes(connection, scene.tenant, identifier, content_sha256)
    sequence = None
    if EventKind.ACL in decision.kinds:
        await write_references(connection, scene.tenant, "document", identifier, node.acl)
        approved = row is not None and not row.tombstoned and row.sharing_approved == acl.public.value
        relations = acl_relations(scene.tenant, "document", identifier, replace(node, approved=approved))
        sequence = await write_relations(connection, scene.tenant, identifier, relations)
    # A new document has no points that a metadata or ACL event could change.
    kinds = [EventKind.UPSERT] if row is None or row.tombstoned else sorted(decision.kinds)
    for kind in kinds:
        await queue_event(connection, _event(scene, identifier, values, decision.counters, kind))
    return Outcome(Written(identifier, decision.counters.revision, changed=True), sequence)


async def delete_document(
    connection: AsyncConnection, scene: Scene, external: str, *, reason: str, version: int | None
) -> tuple[bool, int | None]:
    """Tombstones the row and takes its tuples away; returns whether it was there, and the permission write."""
    identifier = document_id(scene.tenant, scene.source, external_id(external))
    row = (await connection.execute(_STORED, {"id": identifier})).one_or_none()
    change = {"id": identifier, "now": scene.now, "reason": reason, "version": version}
    if row is None:
        if version is not None:
            # An older state that is still under way must not bring it to life.
            await connection.execute(
                _EARLY_TOMBSTONE,
                change
                | {
                    "tenant": scene.tenant,
                    "source": scene.source,
                    "external_id": external,
                    "acl_resolved": as_json(resolved_json(AclOf())),
                },
            )
        return False, None
    check_version(row.version, version, same=row.tombstoned, tombstoned=False, reset=False)
    await connection.execute(_FORGET_FAILURE, {"source": scene.source, "external_id": external})
    if row.tombstoned:
        return False, None
    await connection.execute(_TOMBSTONE, change)
    sequence = await write_relations(connection, scene.tenant, identifier, frozenset())
    counters = Counters(row.revision, row.metadata_revision, row.acl_revision + 1)
    await queue_event(connection, _event(scene, identifier, row._asdict(), counters, EventKind.DELETE))
    return True, sequence


def _stored(row: Row[tuple[object, ...]] | None) -> Stored | None:
    if row is None:
        return None
    return Stored(
        Counters(row.revision, row.metadata_revision, row.acl_revision),
        Fingerprints(row.revision_sha256, row.metadata_sha256, row.acl_sha256, row.privacy_key),
        row.version,
        row.tombstoned,
    )


def _fingerprints(state: DocumentState, node: Node, scene: Scene, rules: PrivacyRules) -> tuple[Fingerprints, str]:
    """The rules' key stands apart in the content's, so that other rules can take its place without the rest."""
    content_sha256 = state.sha256
    content = {
        "bytes": content_sha256,
        "name": state.name,
        "mime": state.mime,
        "title": state.title,
        "pipeline": scene.pipeline_version,
    }
    metadata = {
        "url": state.url,
        "author": state.author,
        "created_at": state.created_at,
        "updated_at": state.updated_at,
        "container": state.container,
    }
    acl = {"acl": resolved_json(node.acl), "parent": str(node.parent) if node.acl.inherit is not Inherit.NONE else None}
    key = rules.key(scene.recogniser)
    return Fingerprints(sha256_json(content), sha256_json(metadata), sha256_json(acl), key), content_sha256


def _row(
    scene: Scene, state: DocumentState, node: Node, prints: Fingerprints, content_sha256: str, decision: Decision
) -> dict[str, object]:
    return {
        "tenant": scene.tenant,
        "source": scene.source,
        "external_id": state.external_id,
        "container": node.parent,
        "name": state.name,
        "given_title": state.title,
        "title": state.title or state.name,
        "url": state.url or "",
        "author": state.author,
        "mime": state.mime or MIME_UNKNOWN,
        "created_at": state.created_at,
        "updated_at": state.updated_at,
        "now": scene.now,
        "raw_key": raw_key(scene.tenant, content_sha256),
        "content_sha256": content_sha256,
        "revision_sha256": prints.content,
        "privacy_key": prints.rules,
        "metadata_sha256": prints.metadata,
        "acl_sha256": prints.acl,
        "acl": None if state.acl is None else as_json(acl_json(state.acl)),
        "acl_resolved": as_json(resolved_json(node.acl)),
        "fingerprint": state.fingerprint,
        "version": state.version,
        "pipeline_version": scene.pipeline_version,
        "revision": decision.counters.revision,
        "metadata_revision": decision.counters.metadata_revision,
        "acl_revision": decision.counters.acl_revision,
    }


def _event(
    scene: Scene, identifier: object, values: dict[str, object], counters: Counters, kind: EventKind
) -> ContentEvent:
    return ContentEvent(
        tenant_id=scene.tenant,
        source_id=scene.source,
        document_id=identifier,  # type: ignore[arg-type]
        counters=counters,
        kind=kind,
        raw_key=str(values["raw_key"]),
        content_sha256=str(values["content_sha256"]),
        metadata_sha256=str(values["metadata_sha256"]),
        mime=str(values["mime"]),
        pipeline_version=str(values["pipeline_version"]),
        occurred_at=scene.now,
        traceparent=scene.traceparent,
    )
