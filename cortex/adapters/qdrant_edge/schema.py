"""From Qdrant's collection and index requests to the engine's configuration, and what later checks need of them."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.refusal import honours, invalid, unimplemented

DIMENSIONS_MAX = 65_536
VECTOR_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
# What Qdrant's server assumes where a collection says nothing.
HNSW_M, HNSW_EF_CONSTRUCT, HNSW_FULL_SCAN_THRESHOLD_KB = 16, 100, 10_000

_DISTANCES = {
    pb.Distance.Cosine: edge.Distance.Cosine,
    pb.Distance.Dot: edge.Distance.Dot,
    pb.Distance.Euclid: edge.Distance.Euclid,
    pb.Distance.Manhattan: edge.Distance.Manhattan,
}


class VectorKind(enum.Enum):
    DENSE = "dense"
    MULTI = "multi"
    SPARSE = "sparse"


class FieldKind(enum.Enum):
    """The payload indexes that are served, each with its name in the protocol."""

    KEYWORD = pb.PayloadSchemaType.Keyword
    INTEGER = pb.PayloadSchemaType.Integer
    BOOL = pb.PayloadSchemaType.Bool
    DATETIME = pb.PayloadSchemaType.Datetime


@dataclass(frozen=True, slots=True)
class VectorField:
    """`dimensions` is 0 for a sparse vector."""

    kind: VectorKind
    dimensions: int = 0


Vectors = Mapping[str, VectorField]
Fields = Mapping[str, FieldKind]


def _optional(message: Message, name: str) -> bool | None:
    return getattr(message, name) if message.HasField(name) else None


def _hnsw(message: pb.HnswConfigDiff) -> edge.HnswIndexConfig:
    honours(message, "m", "ef_construct", "full_scan_threshold", "max_indexing_threads", "on_disk", "payload_m")
    threshold = message.full_scan_threshold if message.HasField("full_scan_threshold") else HNSW_FULL_SCAN_THRESHOLD_KB
    return edge.HnswIndexConfig(
        m=message.m if message.HasField("m") else HNSW_M,
        ef_construct=message.ef_construct if message.HasField("ef_construct") else HNSW_EF_CONSTRUCT,
        full_scan_threshold=threshold,
        on_disk=_optional(message, "on_disk"),
        payload_m=message.payload_m if message.HasField("payload_m") else None,
    )


def _quantization(message: pb.QuantizationConfig) -> edge.ScalarQuantizationConfig:
    honours(message, "scalar")
    scalar = message.scalar
    honours(scalar, "type", "quantile", "always_ram")
    if scalar.type != pb.QuantizationType.Int8:
        raise invalid("scalar quantization: the type must be Int8")
    return edge.ScalarQuantizationConfig(
        edge.ScalarType.Int8,
        quantile=scalar.quantile if scalar.HasField("quantile") else None,
        always_ram=_optional(scalar, "always_ram"),
    )


_OPTIMIZER_OPTIONS = (
    "deleted_threshold",
    "vacuum_min_vector_number",
    "default_segment_number",
    "max_segment_size",
    "indexing_threshold",
)


def _optimizers(message: pb.OptimizersConfigDiff) -> edge.EdgeOptimizersConfig:
    honours(message, *_OPTIMIZER_OPTIONS)
    return edge.EdgeOptimizersConfig(**{option: _optional(message, option) for option in _OPTIMIZER_OPTIONS})


def _dense_params(message: pb.VectorParams) -> edge.EdgeVectorParams:
    honours(message, "size", "distance", "hnsw_config", "quantization_config", "on_disk", "multivector_config")
    if not 0 < message.size <= DIMENSIONS_MAX:
        raise invalid(f"vector size {message.size}: use 1 to {DIMENSIONS_MAX}")
    if message.distance not in _DISTANCES:
        raise invalid("a vector needs a distance")
    multi = message.HasField("multivector_config")
    return edge.EdgeVectorParams(
        size=message.size,
        distance=_DISTANCES[message.distance],
        on_disk=_optional(message, "on_disk"),
        multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim) if multi else None,
        quantization_config=(
            _quantization(message.quantization_config) if message.HasField("quantization_config") else None
        ),
        hnsw_config=_hnsw(message.hnsw_config) if message.HasField("hnsw_config") else None,
    )


def _sparse_params(message: pb.SparseVectorParams) -> edge.EdgeSparseVectorParams:
    honours(message, "index", "modifier")
    honours(message.index, "on_disk", "full_scan_threshold")
    return edge.EdgeSparseVectorParams(
        modifier=edge.Modifier.Idf if message.modifier == pb.Modifier.Idf else None,
        on_disk=_optional(message.index, "on_disk"),
    )


def _refuse_what_one_shard_cannot(create: pb.CreateCollection) -> None:
    """Strict mode is accepted where it asks for what this server does anyway."""
    for name in ("shard_number", "replication_factor", "write_consistency_factor"):
        if create.HasField(name) and getattr(create, name) != 1:
            raise unimplemented(f"CreateCollection.{name} other than 1")
    if create.sharding_method != pb.ShardingMethod.Auto:
        raise unimplemented("custom sharding")
    strict = create.strict_mode_config
    honours(strict, "enabled", "unindexed_filtering_retrieve", "unindexed_filtering_update")
    if strict.unindexed_filtering_retrieve or strict.unindexed_filtering_update:
        raise unimplemented("filtering by a field without an index")


_CREATE_FIELDS = (
    "collection_name",
    "hnsw_config",
    "optimizers_config",
    "shard_number",
    "on_disk_payload",
    "timeout",
    "vectors_config",
    "replication_factor",
    "write_consistency_factor",
    "quantization_config",
    "sharding_method",
    "sparse_vectors_config",
    "strict_mode_config",
)


def edge_config(create: pb.CreateCollection) -> edge.EdgeConfig:
    honours(create, *_CREATE_FIELDS)
    _refuse_what_one_shard_cannot(create)
    honours(create.vectors_config, "params_map")
    dense, sparse = create.vectors_config.params_map.map, create.sparse_vectors_config.map
    for name in (*dense, *sparse):
        if not VECTOR_NAME.fullmatch(name):
            raise invalid(f"vector name {name!r}: use 1 to 64 of a-z, A-Z, 0-9, '_', '.' and '-'")
    if not (dense or sparse) or set(dense) & set(sparse):
        raise invalid("a collection needs named vectors, each name once")
    return edge.EdgeConfig(
        vectors={name: _dense_params(params) for name, params in dense.items()},
        sparse_vectors={name: _sparse_params(params) for name, params in sparse.items()},
        on_disk_payload=_optional(create, "on_disk_payload"),
        hnsw_config=_hnsw(create.hnsw_config) if create.HasField("hnsw_config") else None,
        quantization_config=(
            _quantization(create.quantization_config) if create.HasField("quantization_config") else None
        ),
        optimizers=_optimizers(create.optimizers_config) if create.HasField("optimizers_config") else None,
        wal_enabled=True,
    )


def vector_fields(create: pb.CreateCollection) -> Vectors:
    dense = {
        name: VectorField(
            VectorKind.MULTI if params.HasField("multivector_config") else VectorKind.DENSE, dimensions=params.size
        )
        for name, params in create.vectors_config.params_map.map.items()
    }
    return dense | {name: VectorField(VectorKind.SPARSE) for name in create.sparse_vectors_config.map}


_FIELD_KINDS = {
    pb.FieldType.FieldTypeKeyword: FieldKind.KEYWORD,
    pb.FieldType.FieldTypeInteger: FieldKind.INTEGER,
    pb.FieldType.FieldTypeBool: FieldKind.BOOL,
    pb.FieldType.FieldTypeDatetime: FieldKind.DATETIME,
}
_INDEX_PARAMS: Mapping[FieldKind, tuple[str, type, tuple[str, ...]]] = {
    FieldKind.KEYWORD: ("keyword_index_params", edge.KeywordIndexParams, ("is_tenant", "on_disk", "enable_hnsw")),
    FieldKind.INTEGER: (
        "integer_index_params",
        edge.IntegerIndexParams,
        ("lookup", "range", "is_principal", "on_disk", "enable_hnsw"),
    ),
    FieldKind.BOOL: ("bool_index_params", edge.BoolIndexParams, ("on_disk", "enable_hnsw")),
    FieldKind.DATETIME: ("datetime_index_params", edge.DatetimeIndexParams, ("is_principal", "on_disk", "enable_hnsw")),
}


def field_kind(request: pb.CreateFieldIndexCollection) -> FieldKind:
    kind = _FIELD_KINDS.get(request.field_type)
    if kind is None or not request.HasField("field_type"):
        raise unimplemented(f"an index of type {pb.FieldType.Name(request.field_type)}")
    return kind


def field_index(request: pb.CreateFieldIndexCollection) -> edge.UpdateOperation:
    """Only top-level fields: the checks of dates and of filters look no deeper."""
    honours(request, "collection_name", "wait", "field_name", "field_type", "field_index_params", "ordering", "timeout")
    if not FIELD_NAME.fullmatch(request.field_name):
        raise unimplemented(f"an index on {request.field_name!r}, which is not a plain top-level field,")
    name, engine_type, options = _INDEX_PARAMS[field_kind(request)]
    honours(request.field_index_params, name)
    params = getattr(request.field_index_params, name)
    honours(params, *options)
    chosen = {option: _optional(params, option) for option in options}
    return edge.UpdateOperation.create_field_index(request.field_name, engine_type(**chosen))
