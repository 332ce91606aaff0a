"""A browser for all tests here, a window for each person, and a small company for what needs no more."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from tests.e2e.company import EVERYONE, Company
from tests.e2e.running import Platform
from tests.web.browser import Window, browser

MakeWindow = Callable[..., Window]
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

        def make(**more: object) -> Window:
            context = chromium.new_context(locale="en-GB", **more)  # type: ignore[arg-type]
            stack.callback(context.close)
            return Window(context, context.new_page(), platform.url)

        yield make


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
