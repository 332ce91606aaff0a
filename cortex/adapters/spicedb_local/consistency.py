"""Keeps the first seconds after a start from answering out of the time before it.

Unless a call asks for full consistency, the engine answers at a moment rounded down to its quantisation window of five
seconds. Just after a start that moment lies inside the replay: tried, a complete server then answered from half the
tuples. A token of an earlier life does not help, since it is older than the moment. So for a while after the replay,
every read is made fully consistent; later the rounded moment is safely past it, and calls mean what they say.
"""

import time
from collections.abc import Callable

from authzed.api.v1 import (
    CheckBulkPermissionsRequest,
    CheckPermissionRequest,
    Consistency,
    ExpandPermissionTreeRequest,
    LookupResourcesRequest,
    LookupSubjectsRequest,
    ReadRelationshipsRequest,
)
from google.protobuf.message import DecodeError

# Three windows: the engine may also keep a rounded moment a little longer than one.
SETTLING_S = 15.0
_READS = {
    "CheckPermission": CheckPermissionRequest,
    "CheckBulkPermissions": CheckBulkPermissionsRequest,
    "ExpandPermissionTree": ExpandPermissionTreeRequest,
    "LookupResources": LookupResourcesRequest,
    "LookupSubjects": LookupSubjectsRequest,
    "ReadRelationships": ReadRelationshipsRequest,
}


class Settling:
    """Made when the replay is complete."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = clock() + SETTLING_S

    def adjust(self, method: str, request: bytes) -> bytes:
        """The request as the engine should see it now."""
        if method not in _READS or self._clock() >= self._until:
            return request
        return fully_consistent(method, request)


def fully_consistent(method: str, request: bytes) -> bytes:
    """The same read, at the latest state. What cannot be understood is left to the engine to refuse."""
    try:
        message = _READS[method]()
        message.ParseFromString(request)
    except DecodeError:
        return request
    message.consistency.CopyFrom(Consistency(fully_consistent=True))
    adjusted: bytes = message.SerializeToString()
    return adjusted
