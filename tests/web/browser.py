"""Debian's Chromium, driven by Playwright, and what is looked at on every page."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request, sync_playwright

from tests.house.source_tree import ROOT

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
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

    def ask(self, question: str) -> None:
        """Returns when the answer is over."""
        before = self.page.get_by_role("button", name="Ask again").count()
        self.page.get_by_label("Your question").fill(question)
        self.page.get_by_label("Your question").press("Enter")
        self.page.get_by_role("button", name="Ask again").nth(before).wait_for()

    def findings(self) -> list[str]:
        """What axe-core finds serious. Evaluated by the debugger, which the page's policy does not bind."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found: dict[str, Any] = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
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
