"""Debian's Chromium, driven by Playwright, and what is looked at on every page."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Playwright,
    Request,
    expect,
    sync_playwright,
)

from tests.house.source_tree import ROOT

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
# WCAG 2.2 AA, the size of targets with it, and what axe-core calls good practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
TABS_MAX = 80
# Colours that fade in are looked at once they are there; what never ends is not waited for.
SETTLED = """() => Promise.all(document.getAnimations()
    .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
    .map((one) => one.finished.catch(() => 0)))"""
TIMEOUT_MS = 20_000
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A browser says so of itself whenever a request is refused; refusals are what some tests are about.
_EXPECTED = ("Failed to load resource",)


def chromium() -> str | None:
    return next(filter(None, (os.environ.get("CORTEX_CHROMIUM"), *map(shutil.which, NAMES))), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """Skips where there is no Chromium: apt-get install chromium, or CORTEX_CHROMIUM=/path/to/it."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium, or set CORTEX_CHROMIUM to the path of one")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        found = _launched(playwright, path)
        try:
            yield found
        finally:
            found.close()


def _launched(playwright: Playwright, path: str) -> Browser:
    return playwright.chromium.launch(executable_path=path, args=_FLAGS)


@dataclass
class Window:
    """One person's browser. `said` are errors of its console, `elsewhere` requests to any other origin."""

    context: BrowserContext
    page: Page
    url: str
    said: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(TIMEOUT_MS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.context.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_EXPECTED):
            self.said.append(message.text)

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def open(self, path: str = "/") -> None:
        self.page.goto(f"{self.url}{path}")

    def sign_in(self, token: str) -> None:
        """As somebody whose local token this is."""
        answer = self.context.request.post(
            f"{self.url}/auth/local/session", data={}, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status == 204, answer.text()

    def sign_in_by_choice(self, email: str) -> None:
        """As somebody of the tenant whose people a browser of one's own machine may be."""
        answer = self.context.request.post(f"{self.url}/auth/local/session", data={"email": email})
        assert answer.status == 204, answer.text()

    def ask(self, question: str) -> None:
        """Returns when the answer is over."""
        before = self.page.get_by_role("button", name="Ask again").count()
        self.page.get_by_label("Your question").fill(question)
        self.page.get_by_label("Your question").press("Enter")
        self.page.get_by_role("button", name="Ask again").nth(before).wait_for()

    def tab_to(self, wanted: Locator) -> None:
        """With the keyboard alone."""
        for _ in range(TABS_MAX):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{TABS_MAX} tabs do not lead to {wanted}")

    def too_wide(self) -> list[str]:
        """Whether the page scrolls sideways."""
        pixels = self.page.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
        return [f"{pixels} pixels too wide"] if pixels > 0 else []

    def findings(self) -> list[str]:
        """What axe-core finds serious. Evaluated by the debugger, which the page's policy does not bind."""
        self.page.evaluate(SETTLED)
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found: dict[str, Any] = self.page.evaluate(
            "rules => axe.run(document, {resultTypes: ['violations'], runOnly: rules})", RULES
        )
        return [
            f"{one['id']}: {node['html'][:160]} {json.dumps(node['any'][:1])[:200]}"
            for one in found["violations"]
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]

    def is_well(self) -> None:
        assert (self.said, self.elsewhere) == ([], [])
        found = self.findings()
        assert not found, "\n".join(found)
