"""One running engine: its unary calls by name, and the address of its streaming side."""

from cortex.adapters.spicedb_local.library import EngineHandle, Library

# The engine's C functions carry the unary calls; the streaming ones go through its unix socket.
UNARY_FUNCTIONS = {
    "CheckPermission": "spicedb_permissions_check_permission",
    "CheckBulkPermissions": "spicedb_permissions_check_bulk_permissions",
    "WriteRelationships": "spicedb_permissions_write_relationships",
    "DeleteRelationships": "spicedb_permissions_delete_relationships",
    "ExpandPermissionTree": "spicedb_permissions_expand_permission_tree",
    "WriteSchema": "spicedb_schema_write_schema",
    "ReadSchema": "spicedb_schema_read_schema",
}


class Engine:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._handle: EngineHandle = library.start()

    @property
    def streaming_address(self) -> str:
        """A gRPC target."""
        return self._handle.streaming_address

    def call(self, method: str, request: bytes) -> bytes:
        """A unary call of `permissions.v1` by its name, in bytes; blocks; raises EngineError."""
        return self._library.call(UNARY_FUNCTIONS[method], self._handle, request)

    def close(self) -> None:
        self._library.dispose(self._handle)
