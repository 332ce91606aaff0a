"""Makes two tenants out of chance, on a platform that runs."""

import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.company import Company
from tests.e2e.running import Platform
from tests.redteam.arena import Arena, Arenas
from tests.redteam.source import SimulatedSource, Size, random_source


@contextmanager
def built(platform: Platform, chance: random.Random, folder: Path, *, size: Size | None = None) -> Iterator[Arenas]:
    """Names of tenants are new at every call, so that one platform may be attacked again and again."""
    ours = random_source(chance, size or Size())
    theirs = random_source(chance, size or Size(), twins=ours)
    made = Arenas(_arena(platform, ours, folder / "ours"), _arena(platform, theirs, folder / "theirs"))
    try:
        for arena in made.both():
            arena.build()
        yield made
    finally:
        for arena in made.both():
            arena.company.close()


def _arena(platform: Platform, source: SimulatedSource, folder: Path) -> Arena:
    folder.mkdir(parents=True)
    return Arena(source, Company(platform, f"red-{uuid.uuid4().hex[:12]}"), folder)
