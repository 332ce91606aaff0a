"""The demo company as `files` sources: nobody finds what its plain reading hides, and everybody what it opens."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from rich.progress import Progress

from cortex.cli.demo.asking import ask_all, paths_by_id
from cortex.cli.demo.company import DemoCompany, load
from cortex.cli.demo.loading import counts, load_company
from cortex.cli.gateway import Gateway
from cortex.domain.credential import Role
from tests.demo.oracle import Oracle, load_oracle
from tests.e2e.company import Company, Someone
from tests.e2e.running import Platform

DEMO = Path(__file__).parents[2] / "demo"
LIMIT = 50
BROAD = (
    "salary review",
    "firmware update",
    "incident",
    "budget and contract",
    "security vulnerability",
    "probe calibration",
    "works council",
    "tender price",
    "holiday",
    "supplier quality in Shenzhen",
)
# Words that stand in the title or in few documents alone: whoever may see the document must find it among the first.
PLAIN = {
    "dry ice": "drive/whitepapers/what-dry-ice-does.pdf",
    "office dog policy": "mail/announcements/2025-05-office-dog-policy.eml",
    "limit profiles": "wiki/product/limit-profiles.md",
}
TENANT = "kelvane-parity"


@pytest.fixture(scope="module")
def demo() -> DemoCompany:
    return load(DEMO)


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return load_oracle(DEMO)


@pytest.fixture(scope="module")
def kelvane(platform: Platform, demo: DemoCompany) -> Iterator[Company]:
    company = Company(platform, TENANT)
    with Gateway.at(platform.data, role=Role.ADMIN, tenant=TENANT) as gateway, Progress(disable=True) as bar:
        load_company(gateway, demo, bar=bar)
        documents, chunks = counts(gateway, demo)
    assert (documents, chunks > documents) == (len(paths_by_id(demo.sources, TENANT).keys() & _all(company)), True)
    yield company
    company.close()


def _all(company: Company) -> set[str]:
    """Ids of every document that administration counts."""
    return {
        company.document_id(path.relative_to(root).as_posix(), source=root.name)
        for root in (DEMO / "sources").iterdir()
        if root.is_dir()
        for path in root.rglob("*")
        if path.is_file() and path.name != "acl.yaml"
    }


def test_nobody_finds_what_is_hidden_from_them(kelvane: Company, demo: DemoCompany, oracle: Oracle) -> None:
    paths = paths_by_id(demo.sources, TENANT)

    def leaks(email: str) -> dict[str, set[str]]:
        allowed = oracle.visible_documents(email)
        with closing(Someone(kelvane.platform.url, kelvane.token(email), email)) as person:
            found = {query: {paths[id_] for id_ in person.found(query, limit=LIMIT)} for query in BROAD}
        return {query: shown - allowed for query, shown in found.items() if not shown <= allowed}

    emails = [person.email for person in demo.people]
    with ThreadPoolExecutor(max_workers=4) as pool:
        assert {email: leaked for email, leaked in zip(emails, pool.map(leaks, emails), strict=True) if leaked} == {}


@pytest.mark.parametrize(("query", "path"), PLAIN.items())
def test_everybody_finds_what_is_open_to_them(
    kelvane: Company, demo: DemoCompany, oracle: Oracle, query: str, path: str
) -> None:
    paths = paths_by_id(demo.sources, TENANT)
    finders = {p.email for p in demo.people if path in [paths[d] for d in kelvane.person(p.email).found(query)]}
    assert finders == {person.email for person in demo.people if oracle.visible(person.email, path)}


def test_each_document_opens_for_whom_the_oracle_says(kelvane: Company, demo: DemoCompany, oracle: Oracle) -> None:
    """The documents that are neither everybody's nor nobody's, for everybody."""
    paths = paths_by_id(demo.sources, TENANT)
    ids: dict[str, str] = {path: identifier for identifier, path in paths.items()}
    viewers = {path: {p.email for p in demo.people if oracle.openable(p.email, path)} for path in oracle.documents}
    chosen = sorted(path for path, seen_by in viewers.items() if 0 < len(seen_by) < len(demo.people) - 1)[::6]

    def wrong(email: str) -> list[str]:
        with closing(Someone(kelvane.platform.url, kelvane.token(email), email)) as person:
            return [path for path in chosen if person.opens(ids[path]) != (email in viewers[path])]

    emails = [person.email for person in demo.people]
    with ThreadPoolExecutor(max_workers=4) as pool:
        assert {email: bad for email, bad in zip(emails, pool.map(wrong, emails), strict=True) if bad} == {}


def test_every_demo_question_is_answered_as_its_entry_says(kelvane: Company, demo: DemoCompany) -> None:
    answers = ask_all(demo, data=kelvane.platform.data, tenant=TENANT)
    assert {answered.question.id: answered.problems for answered in answers if answered.problems} == {}
