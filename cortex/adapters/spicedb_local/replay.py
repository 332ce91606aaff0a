"""Reads every permission tuple that Postgres mirrors, and writes them into an empty engine."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol

import psycopg
from authzed.api.v1 import (
    ObjectReference,
    Relationship,
    RelationshipUpdate,
    SubjectReference,
    WriteRelationshipsRequest,
    WriteSchemaRequest,
)

from cortex.adapters.spicedb_local.library import EngineError
from cortex.domain.errors import Invalid, Transient

# The engine's own limit for one write.
BATCH_UPDATES = 1_000
_QUERY = """
SELECT resource_type, resource_id, relation, subject_type, subject_id, coalesce(subject_relation, '')
FROM cortex_replay_tuples()
"""

TupleRow = tuple[str, str, str, str, str, str]


class UnaryCalls(Protocol):
    """The part of an `Engine` that filling it takes."""

    def call(self, method: str, request: bytes, /) -> bytes: ...


def load_schema(engine: UnaryCalls, schema: str) -> None:
    try:
        engine.call("WriteSchema", WriteSchemaRequest(schema=schema).SerializeToString())
    except EngineError as error:
        raise Invalid(f"the permission schema was refused: {error}") from error


def load_tuples(engine: UnaryCalls, rows: Iterable[TupleRow]) -> int:
    """Writes them in batches and gives their number. Any refusal ends it: half a store must not serve."""
    count = 0
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH_UPDATES)):
        request = WriteRelationshipsRequest(updates=[_touch(row) for row in batch])
        try:
            engine.call("WriteRelationships", request.SerializeToString())
        except EngineError as error:
            raise Invalid(f"tuples {count + 1} to {count + len(batch)} were refused: {error}") from error
        count += len(batch)
    return count


def read_tuples(database_url: str) -> Iterator[TupleRow]:
    """All tuples of all tenants, streamed from one snapshot; the password may come from PGPASSWORD."""
    try:
        with (
            psycopg.connect(database_url, connect_timeout=10) as connection,
            connection.cursor(name="replay") as cursor,
        ):
            cursor.itersize = BATCH_UPDATES
            cursor.execute(_QUERY)
            yield from cursor
    except psycopg.Error as error:
        raise Transient(f"the permission tuples cannot be read from Postgres: {error}") from error


def _touch(row: TupleRow) -> RelationshipUpdate:
    resource_type, resource_id, relation, subject_type, subject_id, subject_relation = row
    return RelationshipUpdate(
        operation=RelationshipUpdate.OPERATION_TOUCH,
        relationship=Relationship(
            resource=ObjectReference(object_type=resource_type, object_id=resource_id),
            relation=relation,
            subject=SubjectReference(
                object=ObjectReference(object_type=subject_type, object_id=subject_id),
                optional_relation=subject_relation,
            ),
        ),
    )
