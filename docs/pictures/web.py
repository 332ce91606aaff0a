"""Takes the pictures of the web application: `python docs/pictures/web.py [--url http://127.0.0.1:8080]`.

Needs a running platform with the demo company (`make demo`) and Chromium. Each picture is a PNG of few colours.
`--every FOLDER` takes each page light, dark and on a phone, to be looked at.
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
COLOURS = 160
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


def sign_in(page: Page, url: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{url}/sign-in")
    page.get_by_role("option").first.wait_for()


def no_answer(page: Page, url: str) -> None:
    page.goto(url)
    ask(page, "What did we pay for the cold room in Lisbon?")
    page.get_by_role("heading", name="Nothing that you may open").wait_for()


def several_sources(page: Page, url: str) -> None:
    page.goto(url)
    ask(page, "What do I do when I lose my hardware key?")
    page.get_by_role("button", name="Ask again").wait_for()


def why(page: Page, url: str) -> None:
    several_sources(page, url)
    page.get_by_role("button", name="Why this answer").click()
    page.get_by_role("dialog").get_by_role("table").wait_for()


def suggestions(page: Page, url: str) -> None:
    page.goto(f"{url}/search")
    page.get_by_label("Search for").press_sequentially("off")
    page.get_by_role("option").first.wait_for()


def found(page: Page, url: str) -> None:
    page.goto(f"{url}/search?q=incident review")
    page.get_by_role("main").get_by_role("link").first.wait_for()


def people(page: Page, url: str) -> None:
    found(page, url)
    page.get_by_role("button", name="Written by").click()
    page.get_by_role("option").first.wait_for()


def document(page: Page, url: str) -> None:
    found(page, url)
    page.get_by_role("main").get_by_role("link").first.click()
    page.get_by_role("article").get_by_role("heading", level=1).wait_for()


def help_(page: Page, url: str) -> None:
    page.goto(f"{url}/search")
    page.get_by_label("Search for").wait_for()


def nothing_here(page: Page, url: str) -> None:
    page.goto(f"{url}/no/such/page")
    page.get_by_role("heading", name="There is nothing here").wait_for()


def shared(page: Page, url: str) -> None:
    answer(page, url)
    conversation = page.url.rpartition("/")[2]
    session = page.context.request.get(f"{url}/auth/session").json()
    link = page.context.request.post(
        f"{url}/v1/conversations/{conversation}/share", headers={"X-CSRF-Token": session["csrf_token"]}
    )
    page.goto(f"{url}/shares/{link.json()['url'].rpartition('/')[2]}")
    page.get_by_role("heading", level=1).wait_for()
    page.get_by_role("button", name="Source 1").first.wait_for()


def drawer(page: Page, url: str) -> None:
    home(page, url)
    button = page.get_by_role("button", name="Open navigation")
    if button.is_visible():
        button.click()
    page.get_by_role("button", name="Account and settings").click()
    page.get_by_role("menuitem", name="Dark").wait_for()


Steps = Callable[[Page, str], None]
PICTURES: dict[str, tuple[Steps, dict[str, int], str]] = {
    "web-answer": (answer, WIDE, "light"),
    "web-two-people": (two_people, WIDE, "light"),
    "web-search-dark": (search, WIDE, "dark"),
    "web-phone": (several_sources, PHONE, "light"),
}
PAGES: dict[str, Steps] = {
    "sign-in": sign_in,
    "home": home,
    "answer": answer,
    "several-sources": several_sources,
    "no-answer": no_answer,
    "why": why,
    "account": drawer,
    "shared": shared,
    "search-help": help_,
    "suggestions": suggestions,
    "results": found,
    "people": people,
    "document": document,
    "two-people": two_people,
    "nothing-here": nothing_here,
}
LOOKS: dict[str, tuple[dict[str, int], str]] = {
    "light": (WIDE, "light"),
    "dark": (WIDE, "dark"),
    "phone": (PHONE, "light"),
}


def taken(found: Browser, url: str, steps: Steps, size: dict[str, int], scheme: str) -> bytes:
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


def write(picture: bytes, path: Path) -> None:
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--every", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    with browser() as found:
        if given.every is None:
            for name, (steps, size, scheme) in PICTURES.items():
                write(taken(found, given.url, steps, size, scheme), HERE / f"{name}.png")
            return
        given.every.mkdir(parents=True, exist_ok=True)
        for page, steps in PAGES.items():
            for look, (size, scheme) in LOOKS.items():
                write(taken(found, given.url, steps, size, scheme), given.every / f"{page}-{look}.png")


if __name__ == "__main__":
    main()
