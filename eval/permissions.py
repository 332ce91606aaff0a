"""The long run against permissions, and its report (docs/reference/permissions.md).

    python -m eval.permissions [PART ...] [--seed N] [--verdicts 1000000] [--http 20000] [--races 10000]

PART is verdicts, surfaces or races; all of them without. Each starts servers of its own and writes its part of
eval/reports/permissions.json; then the table of the page is written anew. Exits with 1 on a leak.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.runtime.local import ServerName
from eval.permissions_report import Figures, record
from tests.e2e.running import whole_platform
from tests.local_servers import LocalServers
from tests.redteam import seeds
from tests.redteam.arena import Arenas
from tests.redteam.building import built
from tests.redteam.changes import REVOCATIONS, change
from tests.redteam.exhaustion import Asked, ask_everything
from tests.redteam.racing import Raced, race
from tests.redteam.source import Size
from tests.redteam.verdicts import Tally, filters, forget, judge, large_world, load
from tests.worlds import World

AT_ONCE = 8
OPENED_OF_WORLDS = 10
WORLDS_A_RECORD = 5
CHECK_TIMEOUT_S = 60.0
REQUESTS_A_RACE = 250
CHANGES_A_ROUND = 25
SIZE = Size(people=12, groups=8, folders=10, papers=60, files=16)


async def _judged(urls: Mapping[str, str], seed: int, *, verdicts: int) -> Tally:
    """World after world. Recorded as it goes."""
    engine = SpiceDbEngine(urls["CORTEX_SPICEDB_URL"], key=urls["CORTEX_SPICEDB_KEY"], timeout_s=CHECK_TIMEOUT_S)
    tally, number = Tally(), 0
    try:
        while tally.verdicts < verdicts:
            world = large_world(random.Random(f"{seed}:world:{number}"))
            tally += await _judged_world(engine, world, opening=number % OPENED_OF_WORLDS == 0)
            number += 1
            if number % WORLDS_A_RECORD == 0:
                record("verdicts", asdict(tally) | {"seed": seed})
                _progress(f"{number} worlds: {tally}")
    finally:
        await engine.close()
    return tally


async def _judged_world(engine: SpiceDbEngine, world: World, *, opening: bool) -> Tally:
    """A few people at once. `opening`: by id, too."""
    token, index = await load(engine, world), filters(world)
    one, tally = partial(judge, engine, world, token=token, index=index, opening=opening), Tally()
    for start in range(0, len(world.askers), AT_ONCE):
        for found in await asyncio.gather(*map(one, world.askers[start : start + AT_ONCE])):
            tally += found
    await forget(engine, world)
    return tally


def verdicts(arguments: argparse.Namespace) -> Figures:
    """Engine, filter and plain reading, without the gateway."""
    servers = LocalServers()
    try:
        judged = _judged(servers.urls(ServerName.SPICEDB), arguments.seed, verdicts=arguments.verdicts)
        return asdict(asyncio.run(judged))
    finally:
        servers.close()


def surfaces(arguments: argparse.Namespace) -> Figures:
    """Through the routes, with the source changing between rounds."""
    chance, asked = seeds.chance(arguments.seed, "surfaces"), Asked()
    with _arenas(chance, SIZE) as arenas:
        while asked.verdicts < arguments.http:
            asked += ask_everything(arenas, chance)
            _progress(str(asked))
            for arena in arenas.both():
                for _ in range(CHANGES_A_ROUND):
                    change(chance, arena)
    return asdict(asked)


def races(arguments: argparse.Namespace) -> Figures:
    """Each kind of revocation in turn, against requests on every surface."""
    chance = seeds.chance(arguments.seed, "races")
    raced: list[Raced] = []
    with _arenas(chance, Size()) as arenas:
        while sum(one.after for one in raced) < arguments.races:
            way = list(REVOCATIONS)[len(raced) % len(REVOCATIONS)]
            raced.append(race(arenas.ours, way, chance, requests=REQUESTS_A_RACE))
            _progress(f"{way}: {raced[-1].after} after, {len(raced[-1].leaks)} leaks")
    took_ms = sorted(1000 * one.revocation_s for one in raced)
    cuts = statistics.quantiles(took_ms, n=100, method="inclusive")
    return {
        "requests": sum(one.before + one.after for one in raced),
        "after": sum(one.after for one in raced),
        "leaks": sum(len(one.leaks) for one in raced),
        "revocations": len(raced),
        "revocation_ms_p50": round(cuts[49], 1),
        "revocation_ms_p95": round(cuts[94], 1),
    }


PARTS: dict[str, Callable[[argparse.Namespace], Figures]] = {
    "verdicts": verdicts,
    "surfaces": surfaces,
    "races": races,
}


@contextmanager
def _arenas(chance: random.Random, size: Size) -> Iterator[Arenas]:
    with ExitStack() as stack:
        platform = stack.enter_context(whole_platform())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield stack.enter_context(built(platform, chance, folder, size=size))


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=seeds.chosen())
    parser.add_argument("--verdicts", type=int, default=1_000_000)
    parser.add_argument("--http", type=int, default=20_000)
    parser.add_argument("--races", type=int, default=10_000)
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    leaks = 0
    for part in arguments.parts or PARTS:
        began = time.monotonic()
        figures = PARTS[part](arguments)
        leaks += int(figures["leaks"])
        record(part, figures | {"seed": arguments.seed, "took_s": round(time.monotonic() - began)})
        _progress(f"{part}: {figures}")
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
