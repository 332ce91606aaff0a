"""Answers over wires that break, stall and crawl, and for people who are shut out meanwhile."""

import pytest
from playwright.sync_api import expect

from tests.e2e.company import Company, done
from tests.web.between import Between
from tests.web.browser import Window
from tests.web.conftest import KATRIN, MakeWindow

pytestmark = pytest.mark.full
OUTAGE = "What must be done in an outage?"
SENTENCE = "The post-mortem of the outage is finished."
# What a poor mobile connection gives, in bytes a second.
CRAWLING = {"offline": False, "latency": 400, "downloadThroughput": 40_000, "uploadThroughput": 20_000}


@pytest.fixture
def behind(make_window: MakeWindow, kelvane: Company, wire: Between) -> Window:
    window = make_window(url=wire.url)
    window.sign_in(kelvane.token(KATRIN))
    window.open()
    return window


def begin(window: Window, question: str) -> None:
    window.page.get_by_label("Your question").fill(question)
    window.page.get_by_label("Your question").press("Enter")


def shown(window: Window) -> str:
    return window.page.get_by_role("main").get_by_role("region").locator("[aria-busy]").inner_text()


def test_a_wire_that_breaks_again_and_again_loses_and_repeats_nothing(behind: Window, wire: Between) -> None:
    wire.cut("event: token", further=40)
    wire.cut("event: citation", further=90)
    wire.cut("event: token", further=5)
    behind.ask(OUTAGE)
    expect(behind.page.get_by_text(SENTENCE)).to_have_count(1)
    streamed = shown(behind)
    behind.page.reload()
    behind.page.get_by_role("button", name="Ask again").wait_for()
    assert shown(behind) == streamed
    assert wire.troubles.empty()
    behind.is_well()


def test_a_wire_that_breaks_behind_the_head_of_the_answer_is_no_trouble(behind: Window, wire: Between) -> None:
    wire.cut("\r\n\r\n")
    behind.ask(OUTAGE)
    expect(behind.page.get_by_text(SENTENCE)).to_have_count(1)
    assert wire.troubles.empty()
    behind.is_well()


def test_a_wire_that_breaks_before_the_answer_begins_says_so_and_can_be_retried(behind: Window) -> None:
    behind.page.route("**/v1/chat", lambda route: route.abort("connectionreset"), times=1)
    begin(behind, OUTAGE)
    expect(behind.page.get_by_role("alert")).to_contain_text("Cortex cannot be reached")
    behind.is_well()
    behind.page.get_by_role("button", name="Try again").click()
    expect(behind.page.get_by_text(SENTENCE)).to_have_count(1)


def test_a_stalled_answer_is_stopped_and_asked_again(behind: Window, wire: Between) -> None:
    go_on = wire.stall("event: citation")
    begin(behind, OUTAGE)
    expect(behind.page.get_by_text(SENTENCE)).to_be_visible()
    expect(behind.page.get_by_role("button", name="Stop")).to_be_visible()
    behind.is_well()
    behind.page.keyboard.press("Escape")
    expect(behind.page.get_by_text("Stopped. What you see").last).to_be_visible()
    go_on.set()
    behind.is_well()
    behind.page.get_by_role("button", name="Ask again").click()
    expect(behind.page.get_by_text(SENTENCE)).to_have_count(2)
    behind.page.get_by_role("button", name="Good answer").nth(1).wait_for()


def test_what_is_typed_meanwhile_waits_for_the_answer(behind: Window, wire: Between) -> None:
    go_on = wire.stall("event: token")
    begin(behind, OUTAGE)
    expect(behind.page.get_by_role("button", name="Stop")).to_be_visible()
    behind.page.get_by_label("Your question").fill("Who founded the company?")
    behind.page.get_by_label("Your question").press("Enter")
    expect(behind.page.get_by_label("Your question")).to_have_value("Who founded the company?")
    go_on.set()
    behind.page.get_by_role("button", name="Ask again").wait_for()
    behind.page.get_by_label("Your question").press("Enter")
    behind.page.get_by_role("button", name="Ask again").nth(1).wait_for()
    expect(behind.page.get_by_role("region", name="Question: Who founded the company?")).to_be_visible()


def test_a_document_that_is_withdrawn_mid_answer_is_quoted_no_further(
    behind: Window, wire: Between, kelvane: Company
) -> None:
    allowed = {"allow": [f"user:{KATRIN}"]}
    text = "# The sluice\n\nThe spare key of the sluice gate hangs behind the boiler.\n"
    kelvane.pushed("sluice", text, title="The sluice", acl=allowed)
    wire.cut("event: sources")
    go_on = wire.stall("")
    begin(behind, "Where does the spare key of the sluice gate hang?")
    expect(behind.page.get_by_text("Picking up where it ended").last).to_be_visible()
    kelvane.push("sluice", text, title="The sluice", acl={"allow": ["user:nobody@kelvane.example"]})
    go_on.set()
    expect(behind.page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(behind.page.get_by_text("behind the boiler")).to_have_count(0)
    behind.page.reload()
    behind.page.get_by_role("main").get_by_role("region").wait_for()
    expect(behind.page.get_by_text("behind the boiler")).to_have_count(0)
    expect(behind.page.get_by_text("The sluice", exact=True)).to_have_count(0)
    behind.is_well()


def test_somebody_who_is_shut_out_mid_answer_is_asked_to_sign_in_and_reads_no_further(
    make_window: MakeWindow, kelvane: Company, wire: Between
) -> None:
    email = "temporary.worker@kelvane.example"
    done(kelvane.admin.put(f"/admin/v1/people/{email}", {"name": "Temporary Worker", "guest": False}))
    done(kelvane.admin.request("PATCH", f"/admin/v1/people/{email}", json={"active": True}))
    window = make_window(url=wire.url)
    window.sign_in(kelvane.token(email))
    window.open()
    wire.cut("event: sources")
    go_on = wire.stall("")
    begin(window, OUTAGE)
    expect(window.page.get_by_text("Picking up where it ended").last).to_be_visible()
    done(kelvane.admin.request("PATCH", f"/admin/v1/people/{email}", json={"active": False}))
    go_on.set()
    expect(window.page.get_by_role("dialog", name="You have been signed out")).to_be_visible()
    expect(window.page.get_by_text(SENTENCE)).to_have_count(0)
    window.page.reload()
    expect(window.page.get_by_text(SENTENCE)).to_have_count(0)
    expect(window.page.get_by_role("heading", name="Sign in")).to_be_visible()
    window.is_well()


def test_on_a_slow_network_something_is_shown_at_once_and_everything_in_the_end(katrin: Window) -> None:
    wire = katrin.context.new_cdp_session(katrin.page)
    wire.send("Network.emulateNetworkConditions", CRAWLING)
    katrin.page.set_default_timeout(60_000)
    katrin.open()
    begin(katrin, OUTAGE)
    expect(katrin.page.get_by_text("Looking through what you may open").last).to_be_visible()
    expect(katrin.page.get_by_text(SENTENCE)).to_be_visible(timeout=60_000)
    katrin.page.get_by_role("button", name="Source 1").first.click()
    expect(katrin.page.get_by_role("complementary").locator("mark").first).to_be_visible(timeout=60_000)
    katrin.open("/search?q=incident")
    expect(katrin.page.get_by_role("main").get_by_role("link").first).to_be_visible(timeout=60_000)
    katrin.is_well()
