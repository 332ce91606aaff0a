"""qdrant.Collections: collections, aliases and what they say of themselves."""

from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge import schema
from cortex.adapters.qdrant_edge.method import Methods, method
from cortex.adapters.qdrant_edge.refusal import honours, invalid, not_found, unimplemented
from cortex.adapters.qdrant_edge.store import Collection, Store


def _create(store: Store, request: pb.CreateCollection) -> pb.CollectionOperationResponse:
    store.create(request)
    return pb.CollectionOperationResponse(result=True)


def _update(store: Store, request: pb.UpdateCollection) -> pb.CollectionOperationResponse:
    honours(request, "collection_name", "timeout", "hnsw_config", "optimizers_config")
    collection, changed = store.collection(request.collection_name), pb.CreateCollection()
    changed.CopyFrom(collection.create)
    for name in ("hnsw_config", "optimizers_config"):
        if request.HasField(name):
            getattr(changed, name).MergeFrom(getattr(request, name))
    store.reconfigure(collection, changed)
    return pb.CollectionOperationResponse(result=True)


def _delete(store: Store, request: pb.DeleteCollection) -> pb.CollectionOperationResponse:
    honours(request, "collection_name", "timeout")
    return pb.CollectionOperationResponse(result=store.drop(request.collection_name))


def _exists(store: Store, request: pb.CollectionExistsRequest) -> pb.CollectionExistsResponse:
    return pb.CollectionExistsResponse(result=pb.CollectionExists(exists=store.knows(request.collection_name)))


def _list(store: Store, _request: pb.ListCollectionsRequest) -> pb.ListCollectionsResponse:
    names = [pb.CollectionDescription(name=name) for name in store.names()]
    return pb.ListCollectionsResponse(collections=names)


# What Qdrant's server fills in; its client insists on these fields.
_HNSW_DEFAULTS = pb.HnswConfigDiff(
    m=schema.HNSW_M,
    ef_construct=schema.HNSW_EF_CONSTRUCT,
    full_scan_threshold=schema.HNSW_FULL_SCAN_THRESHOLD_KB,
)
_OPTIMIZER_DEFAULTS = pb.OptimizersConfigDiff(
    deleted_threshold=0.2, vacuum_min_vector_number=1000, default_segment_number=0, flush_interval_sec=5
)


def _config(create: pb.CreateCollection) -> pb.CollectionConfig:
    config = pb.CollectionConfig(
        params=pb.CollectionParams(
            shard_number=1,
            replication_factor=1,
            write_consistency_factor=1,
            on_disk_payload=create.on_disk_payload,
            vectors_config=create.vectors_config,
            sparse_vectors_config=create.sparse_vectors_config,
        ),
        hnsw_config=_HNSW_DEFAULTS,
        optimizer_config=_OPTIMIZER_DEFAULTS,
        wal_config=pb.WalConfigDiff(wal_capacity_mb=32, wal_segments_ahead=0),
    )
    config.hnsw_config.MergeFrom(create.hnsw_config)
    config.optimizer_config.MergeFrom(create.optimizers_config)
    if create.HasField("quantization_config"):
        config.quantization_config.CopyFrom(create.quantization_config)
    if create.HasField("strict_mode_config"):
        config.strict_mode_config.CopyFrom(create.strict_mode_config)
    return config


def _payload_schema(store: Store, collection: Collection) -> dict[str, pb.PayloadSchemaInfo]:
    return {
        name: pb.PayloadSchemaInfo(
            data_type=collection.fields[name].value,
            params=request.field_index_params if request.HasField("field_index_params") else None,
        )
        for name, request in store.indexes(collection).items()
    }


def _get(store: Store, request: pb.GetCollectionInfoRequest) -> pb.GetCollectionInfoResponse:
    collection = store.collection(request.collection_name)
    info = collection.shard.info()
    result = pb.CollectionInfo(
        status=pb.CollectionStatus.Green,
        optimizer_status=pb.OptimizerStatus(ok=True),
        segments_count=info.segments_count,
        points_count=info.points_count,
        # The engine counts what it could search; the server, what its graphs hold.
        indexed_vectors_count=max(0, info.points_count - store.points_outside_graphs(collection.name)),
        config=_config(collection.create),
        payload_schema=_payload_schema(store, collection),
    )
    return pb.GetCollectionInfoResponse(result=result)


def _change(store: Store, aliases: dict[str, str], action: pb.AliasOperations) -> None:
    variant = action.WhichOneof("action")
    if variant == "create_alias":
        alias, target = action.create_alias.alias_name, action.create_alias.collection_name
        if target not in store.names():
            raise not_found(f"Collection `{target}` doesn't exist!")
        if not alias or alias in store.names():
            raise invalid(f"{alias!r} cannot be an alias: a collection has that name, or it is empty")
        aliases[alias] = target
    elif variant == "delete_alias":
        if aliases.pop(action.delete_alias.alias_name, None) is None:
            raise not_found(f"Alias `{action.delete_alias.alias_name}` doesn't exist!")
    elif variant == "rename_alias":
        old, new = action.rename_alias.old_alias_name, action.rename_alias.new_alias_name
        if old not in aliases:
            raise not_found(f"Alias `{old}` doesn't exist!")
        if not new or new in store.names():
            raise invalid(f"{new!r} cannot be an alias: a collection has that name, or it is empty")
        aliases[new] = aliases.pop(old)
    else:
        raise unimplemented("an unknown change of aliases")


def _update_aliases(store: Store, request: pb.ChangeAliases) -> pb.CollectionOperationResponse:
    """All changes or none, in one replacement of the manifest."""
    honours(request, "actions", "timeout")
    aliases = dict(store.aliases())
    for action in request.actions:
        _change(store, aliases, action)
    store.replace_aliases(aliases)
    return pb.CollectionOperationResponse(result=True)


def _aliases(store: Store, collection: str | None) -> pb.ListAliasesResponse:
    listed = [
        pb.AliasDescription(alias_name=alias, collection_name=target)
        for alias, target in sorted(store.aliases().items())
        if collection in (None, target)
    ]
    return pb.ListAliasesResponse(aliases=listed)


def _list_aliases(store: Store, _request: pb.ListAliasesRequest) -> pb.ListAliasesResponse:
    return _aliases(store, None)


def _collection_aliases(store: Store, request: pb.ListCollectionAliasesRequest) -> pb.ListAliasesResponse:
    return _aliases(store, request.collection_name)


SERVICE = "qdrant.Collections"
METHODS: Methods = {
    "Create": method(pb.CreateCollection, _create, changes=True),
    "Update": method(pb.UpdateCollection, _update, changes=True),
    "Delete": method(pb.DeleteCollection, _delete, changes=True),
    "CollectionExists": method(pb.CollectionExistsRequest, _exists),
    "List": method(pb.ListCollectionsRequest, _list),
    "Get": method(pb.GetCollectionInfoRequest, _get),
    "UpdateAliases": method(pb.ChangeAliases, _update_aliases),
    "ListAliases": method(pb.ListAliasesRequest, _list_aliases),
    "ListCollectionAliases": method(pb.ListCollectionAliasesRequest, _collection_aliases),
}
