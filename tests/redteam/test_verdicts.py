"""Engine, filter and plain reading agree on random companies. The long run, eval/permissions.py, asks far more."""

import random

import pytest

from cortex.adapters.spicedb.engine import SpiceDbEngine
from tests.local_servers import KeyedUrl
from tests.redteam.verdicts import Tally, filters, forget, judge, large_world, load

pytestmark = pytest.mark.servers
PEOPLE = 20


async def test_nobody_gets_another_verdict_than_the_algebra_gives(spicedb: KeyedUrl, chance: random.Random) -> None:
    engine = SpiceDbEngine(spicedb.url, key=spicedb.key)
    world = large_world(chance)
    try:
        token = await load(engine, world)
        tally, index = Tally(), filters(world)
        for asker in world.askers[:PEOPLE]:
            tally += await judge(engine, world, asker, token=token, index=index)
        await forget(engine, world)
        assert not [one async for one in engine.relations("document", prefix=f"{world.tenant}/")]
    finally:
        await engine.close()
    print(tally)
    assert tally.verdicts == 2 * PEOPLE * len(world.documents)
    assert 0.02 < tally.allowed / tally.verdicts < 0.8
    assert (tally.leaks, tally.hidden, tally.tighter) == (0, 0, 0)
