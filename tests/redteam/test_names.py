"""Names that a search narrows by: whether a hidden source or folder is called so changes nothing that is seen."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.company import EVERYONE, Company

SECRET = {"allow": ["user:eve@acme.example"]}
TOLD = ("results", "facets", "read", "hints", "degraded", "next_cursor")


@pytest.fixture
def company(make_company: Callable[[], Company]) -> Company:
    """Ann may open a folder `harbour` and a document by `priya@acme.example`; all else of these names is Eve's."""
    made = make_company()
    made.folder("harbour", acl=EVERYONE)
    made.pushed("open", "# Open\n\nThe crane of the harbour is greased on Mondays.", container="harbour")
    made.pushed("hers", "# Hers\n\nThe crane of Priya is red.", author="priya@acme.example")
    return made


def told(company: Company, query: str, **filters: Any) -> dict[str, Any]:
    facets = ["source_type", "container_id", "author"]
    found = company.person("ann").search(query, filters=filters, facets=facets, explain=True)
    return {name: found[name] for name in TOLD}


def test_a_hidden_source_or_folder_of_a_name_changes_nothing(company: Company) -> None:
    queries = ("crane in:harbour", "crane in:vault", "crane in:attic", "crane in:harbour in:vault")
    before = [told(company, query) for query in queries]
    assert [len(found["results"]) for found in before] == [1, 0, 0, 1]
    for source in ("harbour", "vault"):
        company.pushed("secret", "# Secret\n\nThe hidden crane is blue.", source=source, acl=SECRET)
    company.folder("attic", acl=SECRET)
    company.folder("more/harbour", acl=SECRET)
    company.pushed("box", "# Box\n\nThe crane in the attic is green.", container="attic")
    assert company.person("eve").found("crane in:vault") != []
    assert company.person("eve").found("crane in:attic") != []
    assert [told(company, query) for query in queries] == before


def test_an_address_is_matched_by_address_alone(company: Company) -> None:
    before = told(company, "crane from:priya@acme.example")
    chosen = told(company, "crane", authors=["priya@acme.example"])
    for found in (before, chosen):
        assert [result["author"] for result in found["results"]] == ["priya@acme.example"]
    body = {"name": "priya@acme.example"}
    assert company.admin.put("/admin/v1/people/mallory@acme.example", body).is_success
    company.pushed("posing", "# Posing\n\nThe crane of Mallory is yellow.", author="mallory@acme.example")
    company.pushed("beside", "# Beside\n\nThe crane beside it is white.", author="Mallory priya@acme.example")
    assert told(company, "crane from:priya@acme.example") == before
    assert told(company, "crane", authors=["priya@acme.example"]) == chosen
