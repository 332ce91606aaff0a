"""Every page and state, light and dark, on a desk and on a phone: axe-core finds nothing, and nothing is too wide."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Route, ViewportSize, expect

from tests.e2e.company import EVERYONE, Company
from tests.web.browser import Window
from tests.web.conftest import KATRIN, LIAM, MakeWindow
from tests.web.test_kelvane import SALARY

pytestmark = pytest.mark.full
DESK, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=360, height=740)
SIZES = {"desk": DESK, "phone": PHONE}
ARABIC = """# دليل المستودع

يُغلق باب المستودع في الساعة السادسة مساءً. المفتاح عند أمين المستودع.

- الشحنات الباردة أولاً
- ثم الشحنات الجافة

An English paragraph stands between them.

שעות הפתיחה של המעבדה הן משמונה עד ארבע.
"""
Step = Callable[[Window], None]


def side(window: Window) -> None:
    """The navigation, which is a drawer on a phone."""
    window.page.get_by_role("main").wait_for()
    button = window.page.get_by_role("button", name="Open navigation")
    if button.is_visible():
        button.click()


def menu_of_first(window: Window, item: str) -> None:
    window.open()
    side(window)
    own = window.page.get_by_role("navigation", name="Conversations")
    own.get_by_role("link").first.hover()
    own.get_by_role("button", name="what to do with it").first.click()
    window.page.get_by_role("menuitem", name=item).click()
    window.page.get_by_role("dialog").wait_for()


def answered(window: Window) -> None:
    window.open()
    window.ask(SALARY)
    window.page.get_by_text("answers the question").click()


def beside(window: Window) -> None:
    window.page.get_by_role("button", name="Source 1").first.click()
    window.page.get_by_role("complementary").locator("mark").first.wait_for()


def why(window: Window) -> None:
    window.page.keyboard.press("Escape")
    window.page.get_by_role("button", name="Why this answer").click()
    window.page.get_by_role("dialog").get_by_role("table").wait_for()


def judged(window: Window) -> None:
    window.page.keyboard.press("Escape")
    window.page.get_by_role("button", name="Bad answer").click()
    window.page.get_by_label("What was wrong with it?").wait_for()


def unanswered(window: Window) -> None:
    window.open()
    window.ask("Which colour has the moon lander's parachute?")
    window.page.get_by_role("heading", name="Nothing that you may open").wait_for()


def suggested(window: Window) -> None:
    window.open("/search")
    window.page.get_by_label("Search for").press_sequentially("off")
    window.page.get_by_role("option").first.wait_for()


def people(window: Window) -> None:
    window.open("/search?q=incident")
    window.page.get_by_role("button", name="Written by").click()
    window.page.get_by_role("option").first.wait_for()


def person_menu(window: Window) -> None:
    window.open()
    side(window)
    window.page.get_by_role("button", name="Account and settings").click()
    window.page.get_by_role("menuitem", name="Dark").wait_for()


def be_somebody_else(window: Window) -> None:
    window.page.get_by_role("menuitem", name="Be somebody else").click()
    window.page.get_by_role("dialog").get_by_role("option").first.wait_for()


def compared(window: Window) -> None:
    window.open(f"/compare?as={KATRIN}&as={LIAM}")
    window.page.get_by_label("Your question").fill(SALARY)
    window.page.get_by_label("Your question").press("Enter")
    window.page.get_by_role("heading", name="Nothing that you may open").wait_for()
    window.page.get_by_role("button", name="Source 1").first.wait_for()


def opened(path: str, *, heading: str | re.Pattern[str]) -> Step:
    def open_(window: Window) -> None:
        window.open(path)
        window.page.get_by_role("heading", name=heading).first.wait_for()

    return open_


def found(window: Window) -> None:
    window.open("/search?q=incident review")
    window.page.get_by_role("main").get_by_role("link").first.wait_for()


def document(window: Window) -> None:
    window.page.get_by_role("main").get_by_role("link").first.click()
    window.page.get_by_role("article").get_by_role("heading", level=1).wait_for()


def away(window: Window) -> None:
    """The gateway does not answer; then a proxy of somebody's network does."""
    window.context.route("**/v1/search", lambda route: route.abort())
    window.open("/search?q=incident")
    window.page.get_by_role("alert").wait_for(timeout=60_000)


def shut_out(window: Window) -> None:
    window.context.unroute("**/v1/search")
    window.open()
    window.page.get_by_label("Your question").wait_for()
    window.context.clear_cookies()
    window.page.get_by_label("Your question").fill("Is anybody there?")
    window.page.get_by_label("Your question").press("Enter")
    window.page.get_by_role("dialog").get_by_role("option").first.wait_for()


STEPS: dict[str, Step] = {
    "home": opened("/", heading=re.compile("What would you like to know")),
    "answer": answered,
    "source": beside,
    "why": why,
    "feedback": judged,
    "share": lambda window: menu_of_first(window, "Share"),
    "delete": lambda window: menu_of_first(window, "Delete"),
    "no answer": unanswered,
    "search": opened("/search", heading="Search by words or by meaning"),
    "suggestions": suggested,
    "people": people,
    "results": found,
    "document": document,
    "no results": opened("/search?q=zzzzqq from:nobody", heading="Nothing found"),
    "two people": compared,
    "nothing here": opened("/no/such/page", heading="There is nothing here"),
    "account": person_menu,
    "switch": be_somebody_else,
    "away": away,
    "shut out": shut_out,
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_and_state(
    make_window: MakeWindow, kelvane: Company, scheme: Literal["light", "dark"], size: str
) -> None:
    window = make_window(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce")
    wrong: dict[str, list[str]] = {}
    window.open("/sign-in")
    window.page.get_by_role("option").first.wait_for()
    wrong["sign in"] = window.findings()
    window.sign_in_by_choice(KATRIN)
    for name, step in STEPS.items():
        step(window)
        wrong[name] = [*window.findings(), *window.too_wide()]
    assert {name: found for name, found in wrong.items() if found} == {}
    assert window.elsewhere == []


def test_whoever_wants_no_motion_gets_none(make_window: MakeWindow, kelvane: Company) -> None:
    window = make_window(reduced_motion="reduce")
    window.sign_in_by_choice(KATRIN)
    window.open()
    window.ask(SALARY)
    beside(window)
    longest = window.page.evaluate(
        """() => Math.max(...[...document.querySelectorAll("*")].flatMap((element) => {
          const {animationDuration, transitionDuration} = getComputedStyle(element);
          return `${animationDuration},${transitionDuration}`.split(",").map(parseFloat);
        }))"""
    )
    assert longest < 0.001


def test_the_switch_and_the_system_give_the_same_colours(make_window: MakeWindow, kelvane: Company) -> None:
    """What stands in one place cannot differ; and the switch wins over the system."""
    colours = []
    for system, chosen in (("dark", None), ("light", "Dark"), ("light", None), ("dark", "Light")):
        window = make_window(color_scheme=system)
        window.sign_in_by_choice(KATRIN)
        window.open()
        if chosen is not None:
            window.page.get_by_role("button", name="Account and settings").click()
            window.page.get_by_role("menuitem", name=chosen, exact=True).click()
        colours.append(window.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] == colours[1]
    assert colours[2] == colours[3]
    assert colours[0] != colours[2]


def test_each_block_runs_in_its_own_direction(kelvane: Company, katrin: Window) -> None:
    kelvane.pushed("warehouse", ARABIC, title="دليل المستودع", acl=EVERYONE)
    katrin.open(f"/documents/{kelvane.document_id('warehouse')}")
    article = katrin.page.get_by_role("article")
    for text, direction in (("يُغلق باب", "rtl"), ("An English", "ltr"), ("שעות", "rtl")):
        assert article.get_by_text(text).first.evaluate("e => getComputedStyle(e).direction") == direction, text
    assert article.get_by_role("list").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert article.get_by_role("heading", level=1).evaluate("e => getComputedStyle(e).direction") == "rtl"
    katrin.is_well()
    katrin.open("/search")
    katrin.page.get_by_label("Search for").fill("باب المستودع")
    assert katrin.page.get_by_label("Search for").evaluate("e => getComputedStyle(e).direction") == "rtl"
    katrin.page.keyboard.press("Enter")
    snippet = katrin.page.get_by_role("main").get_by_text("يُغلق").first
    assert snippet.evaluate("e => getComputedStyle(e).direction") == "rtl"
    katrin.is_well()
    katrin.open()
    katrin.ask("متى يُغلق باب المستودع؟")
    question = katrin.page.get_by_role("heading", name="متى يُغلق باب المستودع؟")
    assert question.evaluate("e => getComputedStyle(e).direction") == "rtl"
    katrin.is_well()


@pytest.mark.parametrize(
    "path", ["/v1/search", "/v1/documents/*", "/v1/conversations*", "/v1/sources", "/auth/session"]
)
def test_a_page_of_a_proxy_breaks_nothing(kelvane: Company, katrin: Window, path: str) -> None:
    page = "<html><title>Hotel</title><script>document.title = 'owned'</script>Please sign in</html>"

    def answers(route: Route) -> None:
        route.fulfill(body=page, content_type="text/html", status=200)

    katrin.context.route(f"**{path}", answers)
    katrin.open("/search?q=dogs" if "documents" not in path else f"/documents/{kelvane.document_id('warehouse')}")
    if path in ("/v1/search", "/auth/session") or "documents" in path:
        expect(katrin.page.get_by_role("alert").filter(has_text="Something else answered")).to_be_visible()
    elif "conversations" in path:
        expect(katrin.page.get_by_text("The conversations could not be fetched.")).to_be_visible()
    else:
        expect(katrin.page.get_by_role("main").get_by_role("link").first).to_be_visible()
    assert "owned" not in katrin.page.title()
    assert katrin.page.get_by_text("Please sign in").count() == 0
    katrin.is_well()
