"""From signing in to a cited answer, its source, a search and a document, in a browser."""

import gzip
import json

from playwright.sync_api import expect

from cortex.adapters.local_tokens import LocalClaims
from cortex.cli.gateway import TENANT, mint
from cortex.domain.credential import Role
from tests.e2e.company import HOUR, Company, Someone, done
from tests.e2e.running import Platform
from tests.house.source_tree import ROOT
from tests.web.browser import Window
from tests.web.conftest import MakeWindow

QUESTION = "How many dogs may be in the Hamburg office?"
BUNDLE = ROOT / "web" / "dist"
CHAT_BYTES_MAX = 250_000


def test_who_is_not_signed_in_chooses_who_to_be(make_window: MakeWindow, platform: Platform) -> None:
    admin = Someone(platform.url, mint(platform.data, LocalClaims(TENANT, "admin@localhost", Role.ADMIN), HOUR), "")
    done(admin.put("/admin/v1/people/mia.beck@acme.example", {"name": "Mia Beck", "guest": False}))
    admin.close()
    window = make_window()
    window.open("/search?q=dogs")
    expect(window.page).to_have_url(f"{platform.url}/sign-in?return_to=%2Fsearch%3Fq%3Ddogs")
    window.page.get_by_label("Find a person").fill("mia")
    window.is_well()
    window.page.get_by_label("Find a person").press("Enter")
    expect(window.page).to_have_url(f"{platform.url}/search?q=dogs")
    window.page.get_by_role("button", name="Mia Beck").wait_for()


def test_a_question_is_answered_with_its_source_beside_it(ann: Window) -> None:
    ann.open()
    ann.ask(QUESTION)
    expect(ann.page.get_by_text("At most three dogs may be in the Hamburg office on one day.")).to_be_visible()
    ann.page.get_by_role("button", name="Source 1: Dogs in the office").click()
    panel = ann.page.get_by_role("complementary", name="Source 1")
    expect(panel.locator("mark").first).to_have_text("At most three dogs may be in the Hamburg office on one day.")
    ann.is_well()
    ann.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


def test_no_answer_is_help(ann: Window) -> None:
    ann.open()
    ann.ask("On which day of the month is the payroll run?")
    expect(ann.page.get_by_role("heading", name="Nothing that you may open answers this")).to_be_visible()
    expect(ann.page.get_by_text("27th")).to_have_count(0)
    ann.is_well()


def test_two_people_in_two_browsers_see_what_each_may_open(ann: Window, carol: Window) -> None:
    for window, titles in ((ann, 0), (carol, 1)):
        window.open("/search?q=payroll clerk")
        window.page.get_by_role("status").filter(has_text="result").wait_for()
        found = window.page.get_by_role("main").get_by_role("link", name="Payroll", exact=True)
        expect(found).to_have_count(titles)


def test_a_search_is_walked_through_and_opened_by_keyboard(ann: Window, company: Company) -> None:
    ann.open("/search")
    expect(ann.page.get_by_label("Search for")).to_be_focused()
    ann.page.keyboard.type("dogs")
    ann.page.keyboard.press("Enter")
    result = ann.page.get_by_role("main").get_by_role("link", name="Dogs in the office")
    expect(result).to_be_visible()
    ann.is_well()
    result.focus()
    ann.page.keyboard.press("ArrowDown")
    ann.page.keyboard.press("Enter")
    expect(ann.page.get_by_role("heading", level=1, name="Dogs in the office")).to_be_visible()
    expect(ann.page.locator("mark").first).to_be_visible()
    ann.is_well()


def test_the_code_of_the_chat_is_small() -> None:
    """What the page names and what that needs, compressed as most proxies would."""
    manifest = json.loads((BUNDLE / "manifest.json").read_text(encoding="utf-8"))
    entry = next(chunk for chunk in manifest.values() if chunk.get("isEntry"))
    needed, waiting = set(), [entry]
    while waiting:
        chunk = waiting.pop()
        needed |= {chunk["file"], *chunk.get("css", [])}
        waiting += [manifest[name] for name in chunk.get("imports", []) if manifest[name]["file"] not in needed]
    bytes_ = {file: len(gzip.compress((BUNDLE / file).read_bytes(), 9)) for file in needed}
    assert sum(bytes_.values()) <= CHAT_BYTES_MAX, bytes_
