"""What was asked is found again, judged, explained, shared, exported and deleted."""

import pytest
from playwright.sync_api import expect

from tests.e2e.company import Company, done
from tests.web.browser import Window
from tests.web.test_first_path import QUESTION

pytestmark = pytest.mark.full
TURNS_SHOWN = 50
ANSWER = "At most three dogs may be in the Hamburg office on one day."


def test_a_conversation_outlives_a_reload_and_is_renamed_found_and_deleted(ann: Window) -> None:
    ann.open()
    ann.ask(QUESTION)
    ann.page.reload()
    expect(ann.page.get_by_text(ANSWER)).to_be_visible()
    ann.is_well()
    row = ann.page.get_by_role("navigation", name="Conversations")
    row.get_by_role("link", name=QUESTION).first.hover()
    row.get_by_role("button", name=f"{QUESTION}: what to do with it").first.click()
    ann.page.get_by_role("menuitem", name="Rename").click()
    ann.page.get_by_label("New name").fill("Dogs, as agreed")
    ann.page.get_by_label("New name").press("Enter")
    row.get_by_role("link", name="Dogs, as agreed").wait_for()
    ann.page.get_by_label("Find a conversation").fill("nothing like it")
    expect(row.get_by_text("No conversation has these words.")).to_be_visible()
    ann.page.get_by_label("Find a conversation").fill("agreed")
    row.get_by_role("link", name="Dogs, as agreed").hover()
    row.get_by_role("button", name="Dogs, as agreed: what to do with it").click()
    ann.page.get_by_role("menuitem", name="Delete").click()
    ann.page.get_by_role("dialog").wait_for()
    ann.is_well()
    ann.page.get_by_role("button", name="Delete for good").click()
    expect(row.get_by_role("link", name="Dogs, as agreed")).to_have_count(0)


def test_a_long_conversation_begins_with_its_latest_turns_and_fetches_the_others(ann: Window, company: Company) -> None:
    asker = company.person("ann")
    conversation = asker.ask("How many dogs may come on day 0?")["conversation_id"]
    for day in range(1, TURNS_SHOWN + 1):
        body = {"question": f"How many dogs may come on day {day}?", "conversation_id": conversation}
        done(asker.post("/v1/chat", body, Accept="application/json"))
    ann.open(f"/chat/{conversation}")
    asked = ann.page.get_by_role("main").get_by_role("region")
    expect(asked).to_have_count(TURNS_SHOWN)
    ann.page.get_by_role("button", name="Show earlier questions").click()
    expect(asked).to_have_count(TURNS_SHOWN + 1)
    expect(asked.first).to_contain_text("day 0?")
    expect(ann.page.get_by_role("button", name="Show earlier questions")).to_have_count(0)


def test_a_shared_link_shows_each_reader_what_they_may_open(ann: Window, carol: Window) -> None:
    carol.open()
    carol.ask("On which day of the month is the payroll run?")
    expect(carol.page.get_by_text("run on the 27th")).to_be_visible()
    row = carol.page.get_by_role("navigation", name="Conversations")
    row.get_by_role("link").first.hover()
    row.get_by_role("button", name="what to do with it").first.click()
    carol.page.get_by_role("menuitem", name="Share").click()
    carol.page.get_by_role("button", name="Make a link").click()
    address = carol.page.get_by_label("Link").input_value()
    carol.is_well()
    ann.page.goto(f"{ann.url}/shares/{address.rpartition('/')[2]}")
    ann.page.get_by_role("heading", level=1).wait_for()
    expect(ann.page.get_by_text("27th")).to_have_count(0)
    ann.is_well()


def test_an_answer_is_judged_and_explained(ann: Window) -> None:
    ann.open()
    ann.ask(QUESTION)
    ann.page.get_by_role("button", name="Good answer").click()
    expect(ann.page.get_by_text("Thank you")).to_be_visible()
    ann.page.get_by_role("button", name="Why this answer").click()
    dialog = ann.page.get_by_role("dialog", name="Why this answer")
    expect(dialog.get_by_role("row", name="Dogs in the office").first).to_be_visible()
    ann.is_well()
