"""What is personal or secret in documents, from the rules to what a reader gets."""

from base64 import b64encode
from typing import Any

from cortex.domain.credential import Role
from tests.e2e.behind import Behind
from tests.e2e.company import PUSHED, Company, done, whole
from tests.e2e.waiting import eventually

RULES = f"/admin/v1/sources/{PUSHED}/privacy"
QUARANTINE = f"/admin/v1/sources/{PUSHED}/quarantine"
KEY = "AKIAIOSFODNN7EXAMPLE"
TEXT = f"# Lighthouse\n\nThe lamp is lit by {KEY}; ask keeper@acme.example or 13812345678."


def rules(company: Company, originals: str = "hide", **actions: str) -> None:
    done(company.admin.put(RULES, {"actions": actions, "originals": originals}))


def caught_up(company: Company) -> dict[str, Any]:
    """The source's figures once every document is as its rules make it."""

    def settled() -> dict[str, Any]:
        found = whole(company.admin.get(RULES))
        assert not found["behind"]
        return found

    eventually(settled)
    company.indexed()
    return settled()


def text_of(company: Company, document: str) -> str:
    blocks = whole(company.person("ann").get(f"/v1/documents/{document}"))["blocks"]
    return "\n".join(block["text"] for block in blocks)


def test_secrets_are_redacted_unless_somebody_says_otherwise(company: Company, behind: Behind) -> None:
    document, ann = company.pushed("lighthouse", TEXT, title=f"Lamp {KEY}"), company.person("ann")
    (result,) = ann.search("who lights the lamp of the lighthouse")["results"]
    assert KEY not in str(result)
    assert result["title"] == "Lamp [redacted: api key]"
    assert "[redacted: api key]; ask keeper@acme.example" in text_of(company, document)
    assert ann.get(f"/v1/documents/{document}/original").status_code == 404
    for table in ("blocks", "chunks"):
        rows = behind.rows(f"SELECT t::text AS whole FROM {table} t WHERE tenant_id = %s", company.tenant)
        assert rows
        assert [row for row in rows if KEY in row["whole"]] == []
    figures = whole(company.admin.get(RULES))
    assert figures["counts"] == {"api_key": 2, "email": 1, "phone": 1}
    assert (figures["altered"], figures["quarantined"]) == (1, 0)


def test_anchors_count_the_redacted_text(company: Company) -> None:
    document, ann = company.pushed("lighthouse", TEXT), company.person("ann")
    answer = ann.ask("Whom does one ask about the lamp of the lighthouse?")
    blocks = whole(ann.get(f"/v1/documents/{document}"))["blocks"]
    for citation in answer["citations"]:
        anchor = citation["anchor"]
        block = blocks[anchor["block_id"]]["text"]
        assert block[anchor["start"] : anchor["end"]].endswith(citation["quote"]) or citation["quote"] in block


def test_a_change_of_the_rules_makes_what_is_stored_anew(company: Company) -> None:
    document, ann = company.pushed("lighthouse", TEXT), company.person("ann")
    company.pushed("other", "# Other\n\nNothing of the kind.")
    rules(company, email="redact", phone="drop", api_key="detect", originals="show")
    figures = caught_up(company)
    assert figures["counts"] == {"api_key": 1, "email": 1, "phone": 1}
    assert text_of(company, document) == "Lighthouse"
    assert ann.get(f"/v1/documents/{document}/original").content == TEXT.encode()
    rules(company)
    caught_up(company)
    assert "keeper@acme.example" in text_of(company, document)


def test_a_document_in_quarantine_is_nowhere_until_it_is_released(company: Company) -> None:
    ann = company.person("ann")
    document = company.pushed("lighthouse", "# Lighthouse\n\nThe lamp is lit at dusk.")
    assert ann.opens(document)
    rules(company, phone="quarantine")
    company.pushed("lighthouse", TEXT)
    caught_up(company)
    assert not ann.opens(document)
    assert ann.found("the lamp of the lighthouse") == []
    assert ann.get(f"/v1/documents/{document}/original").status_code == 404
    (waiting,) = whole(company.admin.get(QUARANTINE))["items"]
    assert (waiting["document_id"], waiting["counts"]["phone"]) == (document, 1)

    assert ann.post(f"{QUARANTINE}/{document}/release").status_code == 403
    done(company.admin.post(f"{QUARANTINE}/{document}/release"))
    company.indexed()
    assert "[redacted: phone]" in text_of(company, document)
    assert whole(company.admin.get(QUARANTINE))["items"] == []
    company.pushed("lighthouse", TEXT + " Or 13912345678.")
    assert not ann.opens(document), "these are other bytes"


def test_a_file_that_nobody_could_screen_is_treated_as_the_rules_say(company: Company) -> None:
    """By default its bytes are given out to those who may open it; where rules would hide something, they are not."""
    ann, place = company.person("ann"), f"/v1/sources/{PUSHED}/documents/plan.pdf"
    body = {"file": b64encode(b"%PDF-1.7 and no more").decode(), "mime": "application/pdf", "acl": {"public": "tenant"}}
    document = done(company.admin.put(place, body)).json()["document_id"]
    company.indexed()
    original = f"/v1/documents/{document}/original"
    assert ann.get(original).status_code == 200
    assert whole(company.admin.get(RULES))["counts"] == {"unscreened": 1}

    rules(company, email="drop")
    caught_up(company)
    assert (ann.opens(document), ann.get(original).status_code) == (True, 404)

    rules(company, email="quarantine")
    assert caught_up(company)["quarantined"] == 1
    assert not ann.opens(document)
    done(company.admin.post(f"{QUARANTINE}/{document}/release"))
    company.indexed()
    assert ann.get(original).status_code == 200


def test_rules_are_an_administrators(company: Company) -> None:
    company.push("lighthouse", TEXT)
    for role in (Role.MEMBER, Role.OWNER, Role.AUDITOR):
        assert company.person("bob", role=role).put(RULES, {}).status_code == 403
    assert company.person("bob").get(RULES).status_code == 403
    assert company.person("bob", role=Role.AUDITOR).get(RULES).status_code == 200
    assert company.admin.put("/admin/v1/sources/nothing/privacy", {}).status_code == 404
    bodies: list[dict[str, object]] = [{"actions": {"email": "burn"}}, {"actions": {"shoe": "drop"}}, {"action": {}}]
    for body in bodies:
        assert company.admin.put(RULES, body).status_code == 422
