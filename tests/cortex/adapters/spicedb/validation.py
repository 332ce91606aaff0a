"""Validation files of SpiceDB, in the form of `zed validate`, run against an engine of their own."""

import json
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import yaml
from authzed.api.v1 import (
    CheckPermissionRequest,
    CheckPermissionResponse,
    Consistency,
    ContextualizedCaveat,
    ObjectReference,
    Relationship,
    RelationshipUpdate,
    SubjectReference,
    WriteRelationshipsRequest,
)
from google.protobuf.struct_pb2 import Struct

from cortex.adapters.spicedb_local.engine import Engine
from cortex.adapters.spicedb_local.library import Library, locate
from cortex.adapters.spicedb_local.replay import load_schema

_TUPLE = re.compile(
    r"(?P<resource>\w+):(?P<id>[^#\s]+)#(?P<relation>\w+)@(?P<subject>\w+):(?P<subject_id>[^#\s\[]+)"
    r"(?:#(?P<subject_relation>\w+|\.\.\.))?(?:\[(?P<caveat>\w+)(?::(?P<context>\{.*\}))?\])?"
    r"(?:\s+with\s+(?P<given>\{.*\}))?"
)
ANSWERS = {
    "assertTrue": CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION,
    "assertFalse": CheckPermissionResponse.PERMISSIONSHIP_NO_PERMISSION,
    "assertCaveated": CheckPermissionResponse.PERMISSIONSHIP_CONDITIONAL_PERMISSION,
}


@dataclass(frozen=True, slots=True)
class Validation:
    schema: str
    relationships: tuple[str, ...]
    assertions: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> "Validation":
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
        schema = held.get("schema") or (path.parent / held["schemaFile"]).read_text(encoding="utf-8")
        lines = (line.strip() for line in (held.get("relationships") or "").splitlines())
        relationships = tuple(line for line in lines if line and not line.startswith("//"))
        asserted = held.get("assertions") or {}
        return cls(
            schema, relationships, tuple((kind, one) for kind, several in asserted.items() for one in several or ())
        )


def failures(validation: Validation) -> list[str]:
    """Assertions that do not hold."""
    with closing(Engine(Library(locate()))) as engine:
        load_schema(engine, validation.schema)
        updates = [_touch(line) for line in validation.relationships]
        if updates:
            engine.call("WriteRelationships", WriteRelationshipsRequest(updates=updates).SerializeToString())
        return [
            f"{kind}: {assertion}"
            for kind, assertion in validation.assertions
            if _check(engine, assertion) != ANSWERS[kind]
        ]


def _check(engine: Engine, assertion: str) -> int:
    parts = _parts(assertion)
    request = CheckPermissionRequest(
        consistency=Consistency(fully_consistent=True),
        resource=ObjectReference(object_type=parts["resource"], object_id=parts["id"]),
        permission=parts["relation"],
        subject=_subject(parts),
        context=_struct(parts["given"]),
    )
    answer = CheckPermissionResponse()
    answer.ParseFromString(engine.call("CheckPermission", request.SerializeToString()))
    return int(answer.permissionship)


def _touch(line: str) -> RelationshipUpdate:
    parts = _parts(line)
    relationship = Relationship(
        resource=ObjectReference(object_type=parts["resource"], object_id=parts["id"]),
        relation=parts["relation"],
        subject=_subject(parts),
    )
    if parts["caveat"]:
        caveat = ContextualizedCaveat(caveat_name=parts["caveat"], context=_struct(parts["context"]))
        relationship.optional_caveat.CopyFrom(caveat)
    return RelationshipUpdate(operation=RelationshipUpdate.OPERATION_TOUCH, relationship=relationship)


def _subject(parts: Mapping[str, str]) -> SubjectReference:
    relation = "" if parts["subject_relation"] == "..." else parts["subject_relation"]
    return SubjectReference(
        object=ObjectReference(object_type=parts["subject"], object_id=parts["subject_id"]), optional_relation=relation
    )


def _struct(text: str) -> Struct | None:
    if not text:
        return None
    struct = Struct()
    struct.update(json.loads(text))
    return struct


def _parts(line: str) -> dict[str, str]:
    match = _TUPLE.fullmatch(line)
    assert match is not None, line
    return {name: value or "" for name, value in match.groupdict().items()}
