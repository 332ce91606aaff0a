import pytest
from authzed.api.v1 import CheckPermissionRequest, Consistency, LookupResourcesRequest, WriteSchemaRequest, ZedToken

from cortex.adapters.spicedb_local.consistency import SETTLING_S, Settling, fully_consistent

READS = [
    Consistency(),
    Consistency(minimize_latency=True),
    Consistency(at_least_as_fresh=ZedToken(token="of an earlier life")),
    Consistency(fully_consistent=True),
]


@pytest.mark.parametrize("consistency", READS)
def test_a_read_soon_after_the_replay_sees_all_of_it(consistency: Consistency) -> None:
    request = CheckPermissionRequest(permission="view", consistency=consistency).SerializeToString()
    adjusted = CheckPermissionRequest.FromString(Settling(lambda: 0.0).adjust("CheckPermission", request))
    assert adjusted == CheckPermissionRequest(permission="view", consistency=Consistency(fully_consistent=True))


def test_later_reads_mean_what_they_say() -> None:
    now = [0.0]
    settling = Settling(lambda: now[0])
    request = LookupResourcesRequest(consistency=Consistency(minimize_latency=True)).SerializeToString()
    assert settling.adjust("LookupResources", request) != request
    now[0] = SETTLING_S
    assert settling.adjust("LookupResources", request) == request


def test_writes_and_what_cannot_be_understood_are_left_to_the_engine() -> None:
    schema = WriteSchemaRequest(schema="definition a {}").SerializeToString()
    assert Settling(lambda: 0.0).adjust("WriteSchema", schema) == schema
    assert fully_consistent("CheckPermission", b"\xff\xff") == b"\xff\xff"
