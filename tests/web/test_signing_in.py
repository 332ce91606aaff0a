"""Signing in by choice and at a provider, staying signed in, and what becomes of what was typed when it ends."""

import json
from urllib.parse import urljoin

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.company import Company, done
from tests.e2e.provider import TENANT
from tests.e2e.running import Platform
from tests.web.browser import TIMEOUT_MS, Window
from tests.web.conftest import KATRIN, MakeWindow
from tests.web.test_kelvane import BAND, SALARY

pytestmark = pytest.mark.full


def test_whoever_sits_at_the_machine_chooses_by_keyboard_and_is_where_they_wanted_to_be(
    make_window: MakeWindow, kelvane: Company
) -> None:
    window = make_window()
    window.open("/search?q=dogs")
    window.page.get_by_role("heading", name="Sign in").wait_for()
    window.tab_to(window.page.get_by_label("Find a person"))
    window.page.keyboard.type("katrin")
    window.page.keyboard.press("Enter")
    expect(window.page).to_have_url(f"{window.url}/search?q=dogs")
    expect(window.page.get_by_role("button", name="Katrin Vogel")).to_be_visible()
    window.is_well()


def test_an_expired_sign_in_keeps_what_was_typed_and_goes_on(katrin: Window) -> None:
    katrin.open()
    katrin.page.get_by_label("Your question").fill(SALARY)
    katrin.context.clear_cookies()
    katrin.page.get_by_label("Your question").press("Enter")
    dialog = katrin.page.get_by_role("dialog", name="You have been signed out")
    expect(dialog).to_contain_text(KATRIN)
    katrin.is_well()
    dialog.get_by_label("Find a person").fill("katrin")
    dialog.get_by_label("Find a person").press("Enter")
    expect(dialog).to_have_count(0)
    katrin.page.get_by_role("main").get_by_role("button", name="Try again").click()
    expect(katrin.page.get_by_text(BAND)).to_be_visible()
    expect(katrin.page.get_by_role("button", name="Try again")).to_have_count(0)


def test_another_person_in_the_same_browser_sees_nothing_of_the_one_before(katrin: Window) -> None:
    katrin.open()
    katrin.ask(SALARY)
    conversation = katrin.page.url.removeprefix(katrin.url)
    katrin.page.get_by_label("Your question").fill("Not sent yet")
    katrin.context.clear_cookies()
    katrin.page.get_by_role("button", name="Good answer").click()
    dialog = katrin.page.get_by_role("dialog", name="You have been signed out")
    dialog.get_by_label("Find a person").fill("liam")
    dialog.get_by_label("Find a person").press("Enter")
    expect(katrin.page.get_by_role("button", name="Liam Tremblay")).to_be_visible()
    expect(katrin.page.get_by_text(BAND)).to_have_count(0)
    katrin.open()
    expect(katrin.page.get_by_label("Your question")).to_have_value("")
    katrin.ask("Who founded the company?")
    expect(katrin.page.locator(f"a[href='{conversation}']")).to_have_count(0)


def test_two_tabs_are_one_person(katrin: Window) -> None:
    katrin.open()
    katrin.ask(SALARY)
    other = katrin.context.new_page()
    other.set_default_timeout(TIMEOUT_MS)
    other.goto(f"{katrin.url}/")
    expect(other.get_by_role("navigation", name="Conversations").get_by_role("link").first).to_contain_text("salary")
    other.get_by_label("Your question").fill("In the second tab")
    katrin.open()
    expect(katrin.page.get_by_label("Your question")).to_have_value("In the second tab")
    _act(other, "Be somebody else")
    other.get_by_role("dialog").get_by_label("Find a person").fill("liam")
    other.get_by_role("dialog").get_by_label("Find a person").press("Enter")
    for page in (other, katrin.page):
        expect(page.get_by_role("button", name="Liam Tremblay")).to_be_visible()
        expect(page.get_by_label("Your question")).to_have_value("")
    _act(other, "Sign out")
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(katrin.page.get_by_role("dialog", name="You have been signed out")).to_be_visible()
    katrin.is_well()


def _act(page: Page, item: str) -> None:
    page.get_by_role("button", name="Account and settings").click()
    page.get_by_role("menuitem", name=item).click()


def test_people_of_a_provider_sign_in_there_and_come_back(make_window: MakeWindow, platform: Platform) -> None:
    issuer = platform.urls.get("CORTEX_OIDC_ISSUER")
    if issuer is None:
        pytest.skip("the platform that runs already has no identity provider")
    email = "olivia.dupont@acme.example"
    claims = {"sub": email, "email": email, "email_verified": True}
    httpx.put(
        urljoin(issuer, f"/users/{email}"),
        content=json.dumps(claims),
        headers={"Content-Type": "application/json"},
        trust_env=False,
    ).raise_for_status()
    company = Company(platform, TENANT)
    done(company.admin.put(f"/admin/v1/people/{email}", {"name": "Olivia Dupont", "guest": False}))
    company.close()
    window = make_window()
    window.open("/search?q=dogs")
    window.page.get_by_role("link", name="Sign in with your organisation").click()
    window.page.locator("input[name=sub]").fill(email)
    window.page.locator("input[name=sub]").press("Enter")
    expect(window.page).to_have_url(f"{window.url}/search?q=dogs")
    expect(window.page.get_by_role("button", name="Olivia Dupont")).to_be_visible()
    window.elsewhere.clear()  # the provider's own page asks whom it likes
    window.page.reload()
    expect(window.page.get_by_role("button", name="Olivia Dupont")).to_be_visible()
    window.is_well()
