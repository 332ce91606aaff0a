"""Cut streams, expired sign-ins, proxies in between, hostile texts and far too long questions."""

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.company import EVERYONE, Company
from tests.web.browser import Window
from tests.web.test_first_path import QUESTION

pytestmark = pytest.mark.full
ANSWER = "At most three dogs may be in the Hamburg office on one day."
TITLE = "<img src=x onerror=document.title='owned'> \u202egpj.exe"
HOSTILE = """# A page

The harbour crane <script>document.title = 'owned'</script> is greased by [Zed](javascript:alert(1)) on Mondays.

![beacon](https://evil.example/beacon.png) <iframe src="https://evil.example/"></iframe>
"""


@pytest.fixture
def hostile(company: Company) -> Company:
    company.push("hostile", HOSTILE, title=TITLE, acl=EVERYONE, url="javascript:alert(1)")
    company.push("long", "# Long\n\n```\n" + "x = 1\n" * 170_000 + "```\n", title="A very long file", acl=EVERYONE)
    company.indexed()
    return company


def test_a_stream_that_is_cut_goes_on_without_losing_or_repeating_text(ann: Window) -> None:
    def cut(route: Route) -> None:
        whole = route.fetch().text()
        first, _, _ = whole.partition("event: token")
        route.fulfill(body=first, content_type="text/event-stream")

    ann.context.route("**/v1/chat", cut)
    ann.open()
    ann.ask(QUESTION)
    expect(ann.page.get_by_text(ANSWER)).to_have_count(1)
    ann.is_well()


def test_a_page_of_a_proxy_is_named_as_such_and_can_be_retried(ann: Window) -> None:
    page = "<html><title>Hotel</title>Please sign in to the network</html>"
    ann.context.route("**/v1/chat", lambda route: route.fulfill(body=page, content_type="text/html"))
    ann.open()
    ann.page.get_by_label("Your question").fill(QUESTION)
    ann.page.get_by_label("Your question").press("Enter")
    expect(ann.page.get_by_role("alert")).to_contain_text("Something else answered")
    ann.is_well()
    ann.context.unroute("**/v1/chat")
    ann.page.get_by_role("button", name="Try again").click()
    expect(ann.page.get_by_text(ANSWER)).to_be_visible()


def test_what_was_typed_outlives_an_expired_sign_in_and_a_reload(ann: Window) -> None:
    ann.open()
    ann.page.get_by_label("Your question").fill("A question that I have not sent")
    ann.page.reload()
    expect(ann.page.get_by_label("Your question")).to_have_value("A question that I have not sent")
    ann.context.clear_cookies()
    ann.page.get_by_label("Your question").press("Enter")
    dialog = ann.page.get_by_role("dialog", name="You have been signed out")
    expect(dialog).to_be_visible()
    ann.is_well()


def test_hostile_texts_are_shown_as_texts(ann: Window, hostile: Company) -> None:
    ann.open()
    ann.ask("Who greases the harbour crane?")
    expect(ann.page.get_by_text("is greased by").first).to_be_visible()
    ann.page.get_by_role("button", name="Source 1").first.click()
    ann.page.get_by_role("complementary").get_by_role("article").wait_for()
    assert "owned" not in ann.page.title()
    assert ann.page.locator("main img, main iframe, main script").count() == 0
    assert ann.page.locator("a[href^='javascript']").count() == 0
    ann.is_well()
    ann.open(f"/documents/{hostile.document_id('hostile')}")
    expect(ann.page.get_by_role("heading", level=1)).to_contain_text("<img src=x")
    ann.is_well()


def test_a_very_long_block_shows_its_beginning(ann: Window, hostile: Company) -> None:
    ann.open(f"/documents/{hostile.document_id('long')}")
    ann.page.get_by_role("button", name="Show all").first.wait_for()
    ann.is_well()


def test_a_question_that_is_too_long_says_by_how_much(ann: Window) -> None:
    ann.open()
    ann.page.get_by_label("Your question").fill("why " * 2_500)
    expect(ann.page.get_by_role("alert")).to_contain_text("7999 characters too long")
    expect(ann.page.get_by_role("button", name="Ask")).to_be_disabled()
    ann.is_well()


def test_what_one_may_not_open_and_what_never_was_look_alike(ann: Window, company: Company) -> None:
    for path in (
        f"/documents/{company.document_id('payroll')}",
        f"/documents/{company.document_id('never')}",
        "/chat/00000000-0000-0000-0000-000000000000",
        "/shares/nothing",
        "/no/such/page",
    ):
        ann.open(path)
        expect(ann.page.get_by_role("heading", name="There is nothing here")).to_be_visible()
        ann.is_well()
