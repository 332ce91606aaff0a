"""Two tenants on the one platform of the run, made from the run's seed."""

import random
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.company import Company
from tests.e2e.running import Platform
from tests.redteam import seeds
from tests.redteam.arena import Arenas
from tests.redteam.building import built


@pytest.fixture(scope="session")
def seed() -> int:
    return seeds.chosen()


@pytest.fixture
def chance(seed: int, request: pytest.FixtureRequest) -> random.Random:
    return seeds.chance(seed, request.node.name)


@pytest.fixture(scope="session")
def arenas(platform: Platform, seed: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arenas]:
    with built(platform, seeds.chance(seed, "two tenants"), tmp_path_factory.mktemp("read")) as made:
        yield made


@pytest.fixture
def make_company(platform: Platform, chance: random.Random) -> Iterator[Callable[[], Company]]:
    made: list[Company] = []

    def make() -> Company:
        made.append(Company(platform, f"red-{chance.getrandbits(48):x}-{len(made)}"))
        return made[-1]

    yield make
    for company in made:
        company.close()
