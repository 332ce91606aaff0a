"""The right to be forgotten on every surface, also when a process dies meanwhile."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from cortex.cli import app
from cortex.domain.credential import Role
from tests.e2e.behind import Behind
from tests.e2e.company import EVERYONE, PUSHED, Company, Someone, done, whole
from tests.e2e.waiting import eventually

TEXT = "# Lighthouse\n\nThe keeper of the lighthouse is called Zephyrine Quatermass."
QUESTION = "What is the keeper of the lighthouse called?"
CANARY = "Quatermass"
# Tables that may hold a text; the audit and the erasures hold ids and numbers.
TABLES = ("documents", "blocks", "chunks", "answers", "answer_events", "source_failures")


def erased(company: Company, body: dict[str, str]) -> dict[str, Any]:
    """The certificate."""
    asked = whole(company.admin.post("/admin/v1/erasures", body))

    def finished() -> dict[str, Any]:
        found = whole(company.admin.get(f"/admin/v1/erasures/{asked['id']}"))
        assert found["state"] == "done", found
        return found

    certificate: dict[str, Any] = eventually(finished)["certificate"]
    return certificate


def traces(company: Company, behind: Behind, *, of: str) -> list[str]:
    return [
        table
        for table in TABLES
        if any(
            of in row["whole"]
            for row in behind.rows(f"SELECT t::text AS whole FROM {table} t WHERE tenant_id = %s", company.tenant)
        )
    ]


def surfaces(reader: Someone, document: str, answer: str) -> dict[str, bool]:
    """Where the canary sings."""
    return {
        "search": CANARY in json.dumps(reader.search(f"{CANARY} {QUESTION}")["results"]),
        "facets": document in json.dumps(reader.search(QUESTION, facets=["author"])),
        "document": reader.get(f"/v1/documents/{document}").status_code == 200,
        "original": reader.get(f"/v1/documents/{document}/original").status_code == 200,
        "stored answer": CANARY in reader.get(f"/v1/answers/{answer}").text,
        "stored stream": CANARY in reader.get(f"/v1/answers/{answer}/stream").text,
        "new answer": CANARY in json.dumps(reader.ask(QUESTION)),
    }


def objects(company: Company) -> list[str]:
    folder = company.platform.data / "objects"
    return [path.name for path in folder.rglob("*") if str(company.tenant) in str(path) and path.is_file()
            and "anchors" not in path.parts]  # fmt: skip


def test_nothing_is_left_of_a_document_on_any_surface(company: Company, behind: Behind) -> None:
    ann = company.person("ann")
    document, other = company.pushed("lighthouse", TEXT), company.pushed("harbour", "# Harbour\n\nIt dries out.")
    answer = ann.ask(QUESTION)
    assert set(surfaces(ann, document, answer["answer_id"]).values()) == {True}
    certificate = erased(company, {"document": document})
    assert set(surfaces(ann, document, answer["answer_id"]).values()) == {False}
    assert traces(company, behind, of=CANARY) == []
    assert behind.points(document) == []
    assert len(objects(company)) == 2
    assert ann.opens(other)
    numbers = {name: store["erased"] for name, store in certificate["stores"].items()}
    assert all(store["left"] == 0 for store in certificate["stores"].values())
    assert numbers.pop("cached answers") == 0  # no language model wrote anything
    assert min(numbers.values()) > 0, numbers
    assert certificate["subject"] == {"kind": "document", "id": document}


def test_it_does_not_come_back_by_itself(company: Company) -> None:
    document = company.pushed("lighthouse", TEXT)
    erased(company, {"document": document})
    place = f"/v1/sources/{PUSHED}/documents/lighthouse"
    assert company.admin.put(place, {"content": TEXT, "acl": EVERYONE}).status_code == 409
    assert company.admin.put(place, {"content": "# Other\n\nText.", "acl": EVERYONE}).status_code == 202


def test_a_source_that_still_has_it_is_not_read_again(company: Company, tmp_path: Path) -> None:
    (tmp_path / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    (tmp_path / "lighthouse.md").write_text(TEXT, encoding="utf-8")
    company.add_files("docs", {"path": str(tmp_path)})
    company.synced("docs")
    document = company.document_id("lighthouse.md", source="docs")
    assert company.person("ann").opens(document)
    erased(company, {"document": document})
    detail = company.synced("docs", full=True)
    assert not company.person("ann").opens(document)
    assert "erased" in detail["failures"][0]["message"]


def test_a_crash_of_the_workers_only_delays_it(company: Company, behind: Behind) -> None:
    document = company.pushed("lighthouse", TEXT)
    asked = whole(company.admin.post("/admin/v1/erasures", {"document": document}))
    company.platform.kill("workers")

    def finished() -> None:
        assert whole(company.admin.get(f"/admin/v1/erasures/{asked['id']}"))["state"] == "done"

    eventually(finished, within_s=90.0)
    assert traces(company, behind, of=CANARY) == []
    assert not company.person("ann").opens(document)


def test_a_person_is_forgotten_and_what_they_wrote_stays(company: Company, behind: Behind) -> None:
    ann, bob = company.person("ann"), company.person("bob")
    both = {"allow": ["user:ann@acme.example", "user:bob@acme.example"]}
    document = company.pushed("lighthouse", TEXT, author="ann@acme.example", acl=both)
    company.group("crew", "ann", "bob")
    answer = ann.ask(QUESTION)
    certificate = erased(company, {"person": "ann@acme.example"})
    assert certificate["stores"]["answers and conversations"] == {"erased": 2, "left": 0}
    for table in (*TABLES, "persons", "person_emails", "containers", "group_members"):
        rows = behind.rows(f"SELECT t::text AS whole FROM {table} t WHERE tenant_id = %s", company.tenant)
        assert [row for row in rows if "ann@acme" in row["whole"]] == [], table
    assert bob.opens(document)
    eventually(lambda: _has_no_author(behind, document))
    assert not ann.opens(document), "the address stands for somebody new now"
    assert ann.get(f"/v1/answers/{answer['answer_id']}").status_code == 404


def _has_no_author(behind: Behind, document: str) -> None:
    assert [(point.payload or {}).get("author_ids") for point in behind.points(document)] == [[]]


def test_who_may_ask_for_it_and_for_what(company: Company, make_company: Any) -> None:
    document = company.pushed("lighthouse", TEXT)
    for role in (Role.MEMBER, Role.OWNER, Role.AUDITOR):
        refused = company.person("bob", role=role).post("/admin/v1/erasures", {"document": document})
        assert refused.status_code == 403
    assert company.admin.post("/admin/v1/erasures", {}).status_code == 422
    both = {"document": document, "person": "ann@acme.example"}
    assert company.admin.post("/admin/v1/erasures", both).status_code == 422
    assert company.admin.post("/admin/v1/erasures", {"person": "nobody@acme.example"}).status_code == 404
    stranger: Company = make_company()
    stranger.push("something", "text")
    assert stranger.admin.post("/admin/v1/erasures", {"document": document}).status_code == 404
    assert company.person("ann").opens(document)


def test_the_command_prints_a_certificate_that_can_be_checked(company: Company, tmp_path: Path) -> None:
    document = company.pushed("lighthouse", TEXT)
    at = ["--data", str(company.platform.data)]
    printed = CliRunner().invoke(app, ["erase", "--document", document, "--wait", "--tenant", company.name, *at])
    assert printed.exit_code == 0, printed.output
    file = tmp_path / "certificate.json"
    file.write_text(printed.stdout, encoding="utf-8")
    checked = CliRunner().invoke(app, ["erase", "verify", str(file), *at])
    assert checked.exit_code == 0
    assert "is certified" in checked.stdout
    file.write_text(printed.stdout.replace(document, company.document_id("other")), encoding="utf-8")
    forged = CliRunner().invoke(app, ["erase", "verify", str(file), *at])
    assert forged.exit_code != 0
    assert "altered" in str(forged.exception)
    done(company.admin.get("/admin/v1/erasures"))
