"""A browser for all tests here, a window for each person, the demo company, and a small one for what needs no more."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser
from rich.progress import Progress

from cortex.cli.demo.company import load
from cortex.cli.demo.loading import load_company
from cortex.cli.gateway import TENANT, Gateway
from cortex.domain.credential import Role
from tests.e2e.company import EVERYONE, Company
from tests.e2e.running import Platform
from tests.web.between import Between, between
from tests.web.browser import Window, browser

MakeWindow = Callable[..., Window]
KATRIN, LIAM = "katrin.vogel@kelvane.example", "liam.tremblay@kelvane.example"
HANDBOOK = """# Dogs in the office

At most three dogs may be in the Hamburg office on one day. The house manager keeps the list.

## Lifts

Dogs take the stairs. The lift belongs to people with loads.
"""
PAYROLL = "# Payroll\n\nThe payroll is run on the 27th of each month by the payroll clerk.\n"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Closed with its module: while Playwright runs, a loop does, and no other test could run one."""
    with browser() as found:
        yield found


@pytest.fixture
def make_window(chromium: Browser, platform: Platform) -> Iterator[MakeWindow]:
    with ExitStack() as stack:

        def make(*, url: str = platform.url, **more: object) -> Window:
            context = chromium.new_context(**{"locale": "en-GB", **more})  # type: ignore[arg-type]
            stack.callback(context.close)
            return Window(context, context.new_page(), url)

        yield make


@pytest.fixture
def wire(platform: Platform) -> Iterator[Between]:
    """What a window's `url` may be in place of the gateway's, to have its connections break and stall."""
    with between(platform.url) as found:
        yield found


@pytest.fixture(scope="session")
def kelvane(platform: Platform) -> Iterator[Company]:
    """The demo company, in the tenant whose people a browser of one's own machine may be."""
    company = Company(platform, TENANT)
    with Gateway.at(platform.data, role=Role.ADMIN, tenant=TENANT) as gateway, Progress(disable=True) as bar:
        load_company(gateway, load(), bar=bar)
    yield company
    company.close()


@pytest.fixture
def katrin(make_window: MakeWindow, kelvane: Company) -> Window:
    """Of human resources: she may open what salaries are."""
    window = make_window()
    window.sign_in(kelvane.token(KATRIN))
    return window


@pytest.fixture
def liam(make_window: MakeWindow, kelvane: Company) -> Window:
    """An engineer."""
    window = make_window()
    window.sign_in(kelvane.token(LIAM))
    return window


@pytest.fixture(scope="module")
def company(platform: Platform, request: pytest.FixtureRequest) -> Iterator[Company]:
    """Ann and everybody else may read the handbook; the payroll is for Carol alone."""
    name = request.module.__name__.rpartition(".")[2].replace("_", "-")
    made = Company(platform, f"web-{name}")
    made.push("dogs", HANDBOOK, title="Dogs in the office", acl=EVERYONE, url="https://wiki.acme.example/dogs")
    made.push("payroll", PAYROLL, title="Payroll", acl={"allow": ["user:carol@acme.example"]})
    made.indexed()
    yield made
    made.close()


@pytest.fixture
def ann(make_window: MakeWindow, company: Company) -> Window:
    window = make_window()
    window.sign_in(company.token("ann@acme.example"))
    return window


@pytest.fixture
def carol(make_window: MakeWindow, company: Company) -> Window:
    window = make_window()
    window.sign_in(company.token("carol@acme.example"))
    return window
