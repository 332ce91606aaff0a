"""What people keep of their questions and type into a search, over everything that runs."""

from tests.e2e.company import EVERYONE, PUSHED, Company, Someone, done, whole
from tests.e2e.waiting import eventually

CRANE = "# Crane book\n\nThe harbour crane is greased on Mondays by the night shift, says Priya.\n"
TERRACE = "# Roof terrace\n\nThe roof terrace is closed while the harbour crane is greased.\n"


def test_a_conversation_is_kept_found_shared_and_deleted(company: Company) -> None:
    company.push("crane", CRANE)
    company.pushed("terrace", TERRACE, acl={"allow": ["user:ann@acme.example"]})
    ann, bob = company.person("ann"), company.person("bob")
    first = ann.ask("When is the harbour crane greased?")
    body = {"question": "When is the roof terrace closed?", "conversation_id": first["conversation_id"]}
    second = whole(ann.post("/v1/chat", body, Accept="application/json"))
    assert "roof terrace" in second["answer"]
    path = f"/v1/conversations/{first['conversation_id']}"
    assert [turn["answer_id"] for turn in whole(ann.get(path))["turns"]] == [first["answer_id"], second["answer_id"]]
    (listed,) = whole(ann.get("/v1/conversations", q="TERRACE"))["items"]
    assert listed["title"] == "When is the harbour crane greased?"
    assert "closed while the harbour crane" in ann.get(f"{path}/export").text
    token = whole(ann.post(f"{path}/share"))["url"].rpartition("/shares/")[2]
    shared = bob.get(f"/v1/shares/{token}")
    assert "greased on Mondays" in shared.text
    assert "closed while" not in shared.text
    assert company.document_id("terrace") not in shared.text
    done(ann.delete(path))
    assert [ann.get(path).status_code, bob.get(f"/v1/shares/{token}").status_code] == [404, 404]
    assert ann.get(f"/v1/answers/{first['answer_id']}").status_code == 404


def test_an_answer_is_explained_and_rated(company: Company) -> None:
    company.pushed("crane", CRANE)
    ann = company.person("ann")
    answer = ann.ask("When is the harbour crane greased?")["answer_id"]
    (passage,) = whole(ann.get(f"/v1/answers/{answer}/explain"))["passages"]
    assert passage["document_id"] == company.document_id("crane")
    assert passage["cited"]
    assert set(passage["ranks"].values()) == {1}
    done(ann.post(f"/v1/answers/{answer}/feedback", {"rating": "up", "comment": "It is so."}))
    assert whole(ann.get(f"/v1/answers/{answer}"))["rating"] == "up"


def test_suggestions_and_sources_are_of_what_one_may_open(company: Company) -> None:
    company.push("crane", CRANE, author="Priya Raman")
    company.pushed("vault", "# Crane vault\n\nKept shut.", source="vault", author="Prudence", acl={"allow": []})
    ann = company.person("ann")
    assert [item["text"] for item in whole(ann.get("/v1/suggest", q="cra"))["items"]] == ["Crane book"]
    assert [item["text"] for item in whole(ann.get("/v1/suggest", q="Pr"))["items"]] == ["Priya Raman"]
    assert [item["name"] for item in whole(ann.get("/v1/sources"))["items"]] == [PUSHED]
    assert whole(ann.get("/v1/me"))["person"]["email"] == "ann@acme.example"


def test_operators_and_synonyms_reach_the_index(company: Company) -> None:
    company.folder("harbour", acl=EVERYONE)
    company.push("crane", CRANE, author="Priya Raman", updated_at="2026-03-05T10:00:00Z", container="harbour")
    company.pushed("terrace", TERRACE, author="Bob", updated_at="2026-05-05T10:00:00Z")
    ann = company.person("ann")
    crane, terrace = company.document_id("crane"), company.document_id("terrace")
    assert set(ann.found("harbour crane")) == {crane, terrace}
    for query in ("from:priya", "in:harbour", "before:2026-04", '"night shift"', "-terrace"):
        assert ann.found(f"crane {query}") == [crane], query
    for query in ("from:bob", "after:2026-04", '"is closed"'):
        assert ann.found(f"crane {query}") == [terrace], query
    for query in ("from:nobody", "in:nowhere", "type:pdf", '"crane harbour"'):
        assert ann.found(f"crane {query}") == [], query
    done(company.admin.put("/admin/v1/synonyms", {"groups": [["gantry", "crane"]]}))
    eventually(lambda: _finds(ann, "gantry", {crane, terrace}))


def _finds(someone: Someone, query: str, documents: set[str]) -> None:
    """What the tenant calls the same is read anew every few seconds."""
    assert set(someone.found(query, mode="lexical")) == documents
