"""Parts that die while people ask: without the models answers are poorer and say so, without permissions none come."""

import httpx
import pytest

from tests.e2e.company import EVERYONE, PUSHED, Company, Someone, done
from tests.e2e.running import Platform
from tests.e2e.waiting import eventually

BACK_WITHIN_S = 90.0
TEXT = "# Boiler\n\nThe boiler is bled every second Monday."
QUESTION = "When is the boiler bled?"
CLOSED = {"allow": ["user:bob@acme.example"]}
PLACE = f"/v1/sources/{PUSHED}/documents/boiler"


def restarted(platform: Platform, name: str, before: int) -> None:
    def back() -> None:
        process = platform.process(name)
        assert (process.restarts > before, process.state) == (True, "ready")

    eventually(back, within_s=BACK_WITHIN_S)


def test_without_the_models_answers_are_lexical_and_say_so(company: Company) -> None:
    document, ann = company.pushed("boiler", TEXT), company.person("ann")
    assert ann.search("boiler bled")["degraded"] == []
    before = company.platform.kill("models")
    found = ann.search("boiler bled")
    assert [result["document_id"] for result in found["results"]] == [document]
    assert "dense" in found["degraded"]
    answer = ann.ask(QUESTION)
    assert answer["answer"].startswith("The boiler is bled every second Monday.")
    assert "dense" in answer["degraded"]
    restarted(company.platform, "models", before)

    def whole_again() -> None:
        assert ann.search("boiler bled")["degraded"] == []

    eventually(whole_again, within_s=BACK_WITHIN_S)


def test_what_is_pushed_while_the_models_are_away_is_indexed_when_they_are_back(company: Company) -> None:
    company.pushed("first", "# First\n\nThe fuse box is behind the mirror.")
    before = company.platform.kill("models")
    document = company.push("boiler", TEXT)
    restarted(company.platform, "models", before)
    company.indexed()
    assert company.person("ann").found("boiler bled")[0] == document


@pytest.fixture
def ann(company: Company) -> Someone:
    company.push("lamp", "# Lamp\n\nThe lamp in the attic flickers.")
    company.pushed("boiler", TEXT)
    person = company.person("ann")
    assert person.found("boiler bled")
    return person


def well_again(company: Company, person: Someone) -> None:
    """Until a document is opened that the engine must be asked about."""

    def opens() -> None:
        assert person.opens(company.document_id("lamp"))

    eventually(opens, within_s=BACK_WITHIN_S)


def shows_nothing(response: httpx.Response) -> None:
    assert response.status_code == 503, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert int(response.headers["retry-after"]) >= 1
    assert "boiler" not in response.text.lower()


def test_without_the_permission_engine_nothing_is_shown(company: Company, ann: Someone) -> None:
    answer = ann.ask(QUESTION)["answer_id"]
    document = company.document_id("boiler")
    before = company.platform.kill("spicedb")
    shows_nothing(ann.post("/v1/search", {"query": "boiler bled"}))
    shows_nothing(ann.post("/v1/chat", {"question": QUESTION}))
    shows_nothing(ann.get(f"/v1/documents/{document}"))
    shows_nothing(ann.get(f"/v1/answers/{answer}"))
    restarted(company.platform, "spicedb", before)
    well_again(company, ann)
    assert ann.found("boiler bled")[0] == document
    assert ann.opens(document)


def test_a_revocation_while_the_engine_is_away_is_no_longer_granted_when_it_is_back(
    company: Company, ann: Someone
) -> None:
    boiler = company.document_id("boiler")
    before = company.platform.kill("spicedb")
    body = {"content": TEXT, "acl": CLOSED}
    response = company.admin.put(PLACE, body)
    assert response.status_code in (200, 202, 503), response.text
    restarted(company.platform, "spicedb", before)
    well_again(company, ann)
    assert boiler not in ann.found("boiler bled")
    assert ann.get(f"/v1/documents/{boiler}").status_code == 404
    assert company.admin.put(PLACE, body).status_code == 200
    done(company.admin.put(PLACE, {"content": TEXT, "acl": EVERYONE}))
    assert ann.opens(boiler)


def test_a_write_sent_again_is_not_acknowledged_before_its_permissions_are_applied(
    company: Company, ann: Someone
) -> None:
    """The first try may have been stored and not applied; the second, which changes nothing, must not hide that."""
    boiler = company.document_id("boiler")
    before = company.platform.kill("spicedb")

    def acknowledged() -> None:
        assert company.admin.put(PLACE, {"content": TEXT, "acl": CLOSED}).is_success

    eventually(acknowledged, within_s=BACK_WITHIN_S)
    restarted(company.platform, "spicedb", before)
    response = ann.get(f"/v1/documents/{boiler}")
    assert response.status_code == 404, response.text
