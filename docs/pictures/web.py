"""Takes the pictures of the web application: `python docs/pictures/web.py [--url http://127.0.0.1:8080]`.

Needs a running platform with the demo company (`make demo`) and Chromium. Each picture is a PNG of few colours.
"""

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.web.browser import browser

HERE = Path(__file__).parent
COLOURS = 96
TIMEOUT_MS = 60_000
WIDE, PHONE = {"width": 1280, "height": 760}, {"width": 390, "height": 780}
KATRIN, LIAM = "katrin.vogel@kelvane.example", "liam.tremblay@kelvane.example"
SALARY = "What is the salary band for a senior engineer in Hamburg in 2026?"


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.get_by_label("Your question").press("Enter")


def answer(page: Page, url: str) -> None:
    page.goto(url)
    ask(page, SALARY)
    page.get_by_role("button", name="Ask again").wait_for()
    page.get_by_role("button", name="Source 1").first.click()
    page.get_by_role("complementary").locator("mark").first.wait_for()


def two_people(page: Page, url: str) -> None:
    page.goto(f"{url}/compare?as={KATRIN}&as={LIAM}")
    ask(page, SALARY)
    page.get_by_role("heading", name="Nothing that you may open").wait_for()
    page.get_by_role("button", name="Source 1").first.wait_for()


def search(page: Page, url: str) -> None:
    page.goto(f"{url}/search?q=incident review")
    page.get_by_role("complementary", name="Preview").locator("mark").first.wait_for()


def home(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_label("Your question").wait_for()


PICTURES: dict[str, tuple[Callable[[Page, str], None], dict[str, int], str]] = {
    "web-answer": (answer, WIDE, "light"),
    "web-two-people": (two_people, WIDE, "light"),
    "web-search-dark": (search, WIDE, "dark"),
    "web-phone": (home, PHONE, "light"),
}


def taken(found: Browser, url: str, name: str) -> bytes:
    steps, size, scheme = PICTURES[name]
    context = found.new_context(viewport=size, color_scheme=scheme, locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    started = context.request.post(f"{url}/auth/local/session", data={"email": KATRIN})
    if not started.ok:
        raise SystemExit(f"{KATRIN} could not sign in at {url}: {started.status}")
    steps(page, url)
    page.mouse.move(0, 0)
    page.evaluate("document.fonts.ready")
    picture = page.screenshot(animations="disabled", caret="hide")
    context.close()
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    url = parser.parse_args().url
    with browser() as found:
        for name in PICTURES:
            image = Image.open(io.BytesIO(taken(found, url, name))).convert("RGB")
            image.quantize(COLOURS).save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
