"""Searching the demo company: suggestions, facets, people, operators, and all of it by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.web.browser import Window
from tests.web.test_kelvane import rows

pytestmark = pytest.mark.full


def begin_to_search(window: Window, text: str) -> None:
    """Nobody needs to point at the field: it has the focus."""
    window.open("/search")
    expect(window.page.get_by_label("Search for")).to_be_focused()
    window.page.keyboard.type(text)


def test_suggestions_are_walked_through_and_taken_by_keyboard(katrin: Window) -> None:
    begin_to_search(katrin, "off")
    suggestions = katrin.page.get_by_role("listbox", name="Suggestions")
    expect(suggestions.get_by_role("option").first).to_be_visible()
    katrin.is_well()
    field = katrin.page.get_by_label("Search for")
    katrin.page.keyboard.press("Escape")
    expect(suggestions).to_have_count(0)
    expect(field).to_have_value("off")
    katrin.page.keyboard.type("ice")
    expect(suggestions.get_by_role("option", name="Dogs in the Hamburg office")).to_be_visible()
    katrin.page.keyboard.press("ArrowDown")
    expect(field).to_be_focused()
    katrin.page.keyboard.press("Enter")
    expect(katrin.page.get_by_role("heading", level=1, name="Dogs in the Hamburg office")).to_be_visible()


def test_a_person_is_suggested_and_what_they_wrote_is_found(katrin: Window) -> None:
    begin_to_search(katrin, "priya")
    katrin.page.get_by_role("option", name="Priya Raman").click()
    expect(katrin.page).to_have_url(f"{katrin.url}/search?q=from%3Apriya.raman%40kelvane.example")
    expect(rows(katrin).first).to_contain_text("Priya Raman")


def test_nobody_is_suggested_what_they_may_not_open(katrin: Window, liam: Window) -> None:
    for window, count in ((katrin, 1), (liam, 0)):
        with window.page.expect_response(lambda response: response.url.endswith("exp")):
            begin_to_search(window, "salary bands 2026 exp")
        expect(window.page.get_by_role("option", name="Salary bands 2026 explained")).to_have_count(count)


def test_results_are_narrowed_by_source_person_and_time(katrin: Window) -> None:
    katrin.open("/search?q=incident")
    narrow = katrin.page.get_by_role("group", name="Narrow the results")
    narrow.get_by_role("button", name="wiki").click()
    expect(narrow.get_by_role("button", name="wiki", pressed=True)).to_be_visible()
    expect(katrin.page.locator("[aria-busy=true]")).to_have_count(0)
    for row in rows(katrin).all():
        expect(row).to_contain_text("wiki")
    narrow.get_by_role("button", name="wiki", pressed=True).click()
    katrin.page.get_by_role("button", name="Written by: Anyone").click()
    katrin.page.get_by_role("option", name="Mei Lin").click()
    katrin.page.keyboard.press("Escape")
    expect(katrin.page.get_by_role("button", name="Written by: Mei Lin")).to_be_visible()
    expect(katrin.page.locator("[aria-busy=true]")).to_have_count(0)
    for row in rows(katrin).all():
        expect(row).to_contain_text("Mei Lin")
    katrin.page.reload()
    expect(katrin.page.get_by_role("button", name="Written by: Mei Lin")).to_be_visible()
    katrin.page.get_by_role("button", name="Changed: Any time").click()
    katrin.page.get_by_role("menuitem", name="Past year").click()
    expect(katrin.page).to_have_url(f"{katrin.url}/search?q=incident&by=mei.lin%40kelvane.example&since=year")
    katrin.is_well()


def test_operators_are_explained_and_hold(katrin: Window) -> None:
    katrin.open("/search")
    expect(katrin.page.get_by_text("from:priya")).to_be_visible()
    katrin.page.get_by_label("Search for").fill('"dry ice" type:pdf')
    katrin.page.keyboard.press("Enter")
    expect(rows(katrin).first).to_contain_text("What dry ice does in forty hours")
    katrin.page.get_by_label("Search for").fill("zzzzqq from:nobody")
    katrin.page.keyboard.press("Enter")
    expect(katrin.page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(katrin.page.get_by_text("Nothing that you may open is by nobody")).to_be_visible()
    katrin.is_well()
    katrin.page.get_by_label("Search for").fill("x before:noon")
    katrin.page.keyboard.press("Enter")
    expect(katrin.page.get_by_role("alert")).to_contain_text("before")
    katrin.is_well()


def test_everything_from_the_field_to_the_document_and_back_by_keyboard(katrin: Window) -> None:
    begin_to_search(katrin, "incident")
    katrin.page.keyboard.press("Enter")
    expect(rows(katrin).first).to_be_visible()
    expect(katrin.page.get_by_label("Search for")).to_be_focused()
    katrin.page.keyboard.press("ArrowDown")
    links = rows(katrin).get_by_role("link")
    expect(links.first).to_be_focused()
    katrin.page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    title = links.nth(1).inner_text()
    preview = katrin.page.get_by_role("complementary", name="Preview")
    expect(preview.get_by_role("heading", level=2)).to_have_text(title)
    katrin.page.keyboard.press("ArrowUp")
    katrin.page.keyboard.press("ArrowDown")
    katrin.page.keyboard.press("Enter")
    expect(katrin.page.get_by_role("heading", level=1)).to_have_text(title)
    katrin.page.go_back()
    expect(rows(katrin).first).to_be_visible()
    katrin.page.keyboard.press("/")
    expect(katrin.page.get_by_label("Search for")).to_be_focused()
