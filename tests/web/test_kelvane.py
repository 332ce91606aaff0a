"""The demo company in a browser: what each of its people gets of the same questions."""

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.web.browser import Window
from tests.web.conftest import KATRIN, LIAM, MakeWindow

SALARY = "What is the salary band for a senior engineer in Hamburg in 2026?"
BAND = "78,000 to 94,000 euros"
NOTHING = "Nothing that you may open answers this"


def rows(window: Window) -> Locator:
    return window.page.get_by_role("main").get_by_role("listitem").filter(has=window.page.get_by_role("heading"))


def what_to_do(window: Window, title: str) -> None:
    own = window.page.get_by_role("navigation", name="Conversations")
    own.get_by_role("link", name=title).first.hover()
    own.get_by_role("button", name=f"{title}: what to do with it").first.click()


def test_one_is_answered_what_the_other_is_not(katrin: Window, liam: Window) -> None:
    katrin.open()
    katrin.ask(SALARY)
    expect(katrin.page.get_by_text(BAND)).to_be_visible()
    katrin.page.get_by_role("button", name="Source 1").first.click()
    panel = katrin.page.get_by_role("complementary", name="Source 1")
    expect(panel.locator("mark").first).to_contain_text(BAND)
    katrin.is_well()
    liam.open()
    liam.ask(SALARY)
    expect(liam.page.get_by_role("heading", name=NOTHING)).to_be_visible()
    expect(liam.page.get_by_text(BAND)).to_have_count(0)
    liam.is_well()


@pytest.mark.full
def test_a_question_its_source_and_why_by_keyboard_alone(katrin: Window) -> None:
    katrin.open()
    expect(katrin.page.get_by_label("Your question")).to_be_focused()
    katrin.page.keyboard.type(SALARY)
    katrin.page.keyboard.press("Enter")
    again = katrin.page.get_by_role("button", name="Ask again")
    again.wait_for()
    source = katrin.page.get_by_role("button", name="Source 1").first
    katrin.tab_to(source)
    katrin.page.keyboard.press("Enter")
    panel = katrin.page.get_by_role("complementary", name="Source 1")
    expect(panel).to_be_focused()
    expect(panel.locator("mark").first).to_contain_text(BAND)
    katrin.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(source).to_be_focused()
    why = katrin.page.get_by_role("button", name="Why this answer")
    katrin.tab_to(why)
    katrin.page.keyboard.press("Enter")
    expect(katrin.page.get_by_role("dialog", name="Why this answer")).to_be_visible()
    katrin.page.keyboard.press("Escape")
    expect(why).to_be_focused()
    katrin.tab_to(again)
    katrin.page.keyboard.press("Enter")
    expect(again).to_be_visible()
    expect(katrin.page.get_by_text(BAND).first).to_be_visible()


@pytest.mark.full
def test_two_people_are_asked_side_by_side(katrin: Window) -> None:
    katrin.open(f"/compare?as={KATRIN}&as={LIAM}")
    katrin.is_well()
    katrin.page.get_by_label("Your question").fill(SALARY)
    katrin.page.get_by_label("Your question").press("Enter")
    one, other = (
        katrin.page.get_by_role("region", name=name, exact=True) for name in ("Katrin Vogel", "Liam Tremblay")
    )
    expect(one.get_by_text(BAND)).to_be_visible()
    expect(other.get_by_role("heading", name=NOTHING)).to_be_visible()
    expect(other.get_by_text(BAND)).to_have_count(0)
    katrin.is_well()
    one.get_by_role("button", name="Source 1").first.click()
    expect(katrin.page.get_by_role("complementary", name="Source 1").locator("mark").first).to_contain_text(BAND)
    katrin.page.keyboard.press("Escape")
    one.get_by_label("Person").select_option("Priya Raman")
    expect(katrin.page.get_by_role("region", name="Priya Raman", exact=True)).to_be_visible()
    expect(katrin.page).to_have_url(
        f"{katrin.url}/compare?as=priya.raman%40kelvane.example&as={LIAM.replace('@', '%40')}"
    )


@pytest.mark.full
def test_a_shared_conversation_shows_its_reader_what_they_may_open(katrin: Window, liam: Window) -> None:
    katrin.open()
    katrin.ask(SALARY)
    what_to_do(katrin, SALARY)
    katrin.page.get_by_role("menuitem", name="Share").click()
    katrin.page.get_by_role("button", name="Make a link").click()
    address = katrin.page.get_by_label("Link").input_value().removeprefix(katrin.url)
    katrin.open(address)
    expect(katrin.page.get_by_text(BAND)).to_be_visible()
    katrin.is_well()
    liam.open(address)
    expect(liam.page.get_by_role("heading", level=1)).to_be_visible()
    expect(liam.page.get_by_text(BAND)).to_have_count(0)
    expect(liam.page.get_by_text("Salary bands")).to_have_count(0)
    liam.is_well()


@pytest.mark.full
def test_a_conversation_is_taken_along_as_markdown(katrin: Window) -> None:
    katrin.open()
    katrin.ask(SALARY)
    what_to_do(katrin, SALARY)
    with katrin.page.expect_download() as taken:
        katrin.page.get_by_role("menuitem", name="Export as Markdown").click()
    text = taken.value.path().read_text(encoding="utf-8")
    assert taken.value.suggested_filename.endswith(".md")
    assert SALARY in text
    assert BAND in text


@pytest.mark.full
def test_the_questions_to_begin_with_have_answers(katrin: Window) -> None:
    katrin.open()
    starters = katrin.page.get_by_role("list", name="Questions to begin with").get_by_role("button")
    starters.first.wait_for()
    names = starters.all_inner_texts()
    assert len(names) == 4
    for name in names:
        katrin.open()
        katrin.page.get_by_role("button", name=name, exact=True).click()
        katrin.page.get_by_role("button", name="Ask again").wait_for()
        expect(katrin.page.get_by_role("button", name="Source 1").first).to_be_visible()
        expect(katrin.page.get_by_text("answers the question")).to_be_visible()


@pytest.mark.full
def test_a_question_is_narrowed_to_what_somebody_wrote(katrin: Window) -> None:
    katrin.open()
    katrin.page.get_by_role("button", name="Written by: Anyone").click()
    katrin.page.get_by_label("Find a person").fill("priya")
    katrin.page.get_by_role("option", name="Priya Raman").click()
    katrin.is_well()
    katrin.page.keyboard.press("Escape")
    expect(katrin.page.get_by_role("button", name="Written by: Priya Raman")).to_be_visible()
    katrin.ask("What must be done in an outage?")
    katrin.page.get_by_role("button", name="Source 1").first.click()
    expect(katrin.page.get_by_role("complementary", name="Source 1").get_by_text("Priya Raman").first).to_be_visible()


@pytest.mark.full
def test_how_sure_an_answer_is_stands_in_words_and_is_explained(katrin: Window) -> None:
    katrin.open()
    katrin.ask(SALARY)
    katrin.page.get_by_text("Very likely answers the question").click()
    expect(katrin.page.get_by_text("It does not say whether the document is right")).to_be_visible()
    katrin.is_well()
    katrin.page.get_by_role("button", name="Why this answer").click()
    dialog = katrin.page.get_by_role("dialog", name="Why this answer")
    for column in ("By meaning", "By words", "Closely read", "In all"):
        expect(dialog.get_by_role("columnheader", name=column)).to_be_visible()
    expect(dialog.get_by_role("row", name="Quoted").first).to_contain_text("Salary bands 2026")
    katrin.is_well()


@pytest.mark.full
@pytest.mark.parametrize(
    ("email", "question", "says"),
    [
        (KATRIN, "Bis wann läuft der Mietvertrag für das Büro in Hamburg?", "31. Juli 2030"),
        ("zhao.min@kelvane.example", "注塑线计划的总投资是多少欧元？", "一百九十万欧元"),
    ],
    ids=["german", "chinese"],
)
def test_questions_in_other_languages(katrin: Window, email: str, question: str, says: str) -> None:
    katrin.sign_in_by_choice(email)
    katrin.open()
    katrin.ask(question)
    expect(katrin.page.get_by_text(says).first).to_be_visible()
    katrin.is_well()


@pytest.mark.full
@pytest.mark.parametrize(
    ("locale", "field", "search"),
    [("de-DE", "Ihre Frage", "Suche"), ("zh-CN", "您的问题", "搜索")],
    ids=["german", "chinese"],
)
def test_the_page_speaks_the_language_of_its_browser(
    make_window: MakeWindow, katrin: Window, locale: str, field: str, search: str
) -> None:
    window = make_window(locale=locale)
    window.sign_in_by_choice(KATRIN)
    window.open()
    expect(window.page.get_by_label(field)).to_be_visible()
    expect(window.page.locator("html")).to_have_attribute("lang", locale.partition("-")[0])
    window.page.get_by_role("link", name=search, exact=True).click()
    window.is_well()


@pytest.mark.full
def test_a_better_version_is_named_where_there_is_one(katrin: Window) -> None:
    """No document of the demo is superseded in the index yet, so the gateway's answer is completed on its way."""
    newer = {"document_id": "0f8fad5b-d9cb-469f-a165-70867728950e", "title": "Salary bands 2027", "url": "", "at": None}

    def completed(route: Route) -> None:
        body = route.fetch().json()
        body["results"][0]["superseded_by"] = newer
        route.fulfill(json=body)

    katrin.context.route("**/v1/search", completed)
    katrin.open("/search?q=salary bands")
    expect(rows(katrin).first.get_by_text("Superseded")).to_be_visible()
    preview = katrin.page.get_by_role("complementary", name="Preview")
    expect(preview.get_by_role("link", name="Salary bands 2027")).to_be_visible()
    katrin.is_well()
