"""One platform for all tests here; each test in a tenant of its own."""

import re
import uuid
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.behind import Behind, looking_behind
from tests.e2e.company import Company
from tests.e2e.running import Platform


@pytest.fixture(scope="session")
def behind(platform: Platform) -> Iterator[Behind]:
    with looking_behind(platform) as found:
        yield found


@pytest.fixture
def make_company(platform: Platform, request: pytest.FixtureRequest) -> Iterator[Callable[[], Company]]:
    """Companies with names that tell the test they are of."""
    made: list[Company] = []

    def make() -> Company:
        test = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:40].strip("-")
        made.append(Company(platform, f"{test}-{uuid.uuid4().hex[:8]}"))
        return made[-1]

    yield make
    for company in made:
        company.close()


@pytest.fixture
def company(make_company: Callable[[], Company]) -> Company:
    return make_company()
