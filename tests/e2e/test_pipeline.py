"""What becomes of content on its way to the index (architecture section 3)."""

import asyncio
from collections.abc import Callable
from typing import Any

import nats

from cortex.adapters.nats import NatsBus
from tests.e2e.behind import Behind
from tests.e2e.company import EVERYONE, PUSHED, Company, done
from tests.e2e.waiting import eventually

TEAPOT = "# Teapots\n\nThe porcelain teapot of the canteen holds nine litres of mint tea."
KETTLE = "# Kettles\n\nThe copper kettle of the workshop boils within four minutes."


def test_content_that_flips_back_ends_as_it_began(company: Company, behind: Behind) -> None:
    document = company.pushed("flip", TEAPOT)
    first_vectors, first_points = behind.vectors(company.tenant), behind.points(document)
    company.pushed("flip", KETTLE)
    company.pushed("flip", TEAPOT)

    assert behind.document(document)["revision"] == 3
    assert behind.revisions(document) == {3}
    assert company.person("ann").search("porcelain teapot litres")["results"][0]["document_id"] == document
    assert [point.vector for point in behind.points(document)] == [point.vector for point in first_points]
    after = behind.vectors(company.tenant)
    assert {key: after[key] for key in first_vectors} == first_vectors, "A was embedded again"


def test_only_the_newest_of_many_edits_is_live(company: Company, behind: Behind) -> None:
    """Each PUT comes while the one before is somewhere between the stages."""
    for number in range(6):
        document = company.push("edited", f"# Edited\n\nThe rainfall gauge showed {number} millimetres.\n" * 20)
    company.push("edited", "# Edited\n\nThe rainfall gauge was stolen.")
    company.indexed()

    def one_revision() -> None:
        assert behind.revisions(document) == {7}

    eventually(one_revision)
    assert "stolen" in company.person("ann").search("rainfall gauge")["results"][0]["snippet"]
    assert behind.rows("SELECT revision FROM chunks WHERE document_id = %s AND revision < 7", document) == []


def test_equal_files_of_two_tenants_stay_apart(make_company: Callable[[], Company], behind: Behind) -> None:
    one, other = make_company(), make_company()
    first, second = one.pushed("same", TEAPOT), other.pushed("same", TEAPOT)
    assert first != second
    assert one.person("ann").found("porcelain teapot") == [first]
    assert other.person("ann").found("porcelain teapot") == [second]
    tenants = {str((point.payload or {})["tenant_id"]) for point in behind.points(first)}
    assert tenants == {str(one.tenant)}
    assert behind.vectors(one.tenant).keys() == behind.vectors(other.tenant).keys()


def test_the_same_body_again_does_nothing(company: Company, behind: Behind) -> None:
    document = company.pushed("same", TEAPOT)
    before = behind.document(document), behind.points(document), behind.vectors(company.tenant)
    again = company.admin.put(f"/v1/sources/{PUSHED}/documents/same", {"content": TEAPOT, "acl": EVERYONE})
    assert (again.status_code, again.json()["revision"]) == (200, 1)
    assert (behind.document(document), behind.points(document), behind.vectors(company.tenant)) == before


def test_address_author_and_permissions_change_without_embedding(company: Company, behind: Behind) -> None:
    about: dict[str, Any] = {"url": "https://wiki.example/old", "author": "ann@acme.example", "acl": EVERYONE}
    document = company.pushed("about", TEAPOT, **about)
    points, vectors = behind.points(document), behind.vectors(company.tenant)
    about |= {"url": "https://wiki.example/new", "author": "bob@acme.example"}
    about["acl"] = {"allow": ["user:ann@acme.example"]}
    company.push("about", TEAPOT, **about)

    def arrived() -> None:
        (row,) = [point.payload or {} for point in behind.points(document)]
        assert (row["metadata_revision"], row["acl_revision"]) == (2, 2)

    eventually(arrived)
    row = behind.document(document)
    assert (row["revision"], row["metadata_revision"], row["acl_revision"]) == (1, 2, 2)
    assert [(p.id, p.vector) for p in behind.points(document)] == [(p.id, p.vector) for p in points]
    assert behind.vectors(company.tenant) == vectors
    (result,) = company.person("ann").search("porcelain teapot")["results"]
    assert (result["url"], result["author"]) == ("https://wiki.example/new", "bob@acme.example")
    assert company.person("bob").found("porcelain teapot") == []


def test_a_new_title_embeds_that_document_alone(company: Company, behind: Behind) -> None:
    company.push("kettle", KETTLE)
    document = company.pushed("teapot", TEAPOT, title="Teapots")
    before = behind.vectors(company.tenant)
    company.pushed("teapot", TEAPOT, title="Vessels")
    after = behind.vectors(company.tenant)
    assert {key: after[key] for key in before} == before
    assert len(after) == len(before) + len(behind.points(document))
    assert company.person("ann").search("porcelain teapot")["results"][0]["title"] == "Vessels"


def test_a_deletion_hides_at_once_and_leaves_no_point(company: Company, behind: Behind) -> None:
    document, ann = company.pushed("gone", TEAPOT), company.person("ann")
    assert ann.found("porcelain teapot") == [document]
    done(company.admin.delete(f"/v1/sources/{PUSHED}/documents/gone"))
    assert ann.found("porcelain teapot") == []
    assert ann.get(f"/v1/documents/{document}").status_code == 404

    def no_points() -> None:
        assert behind.points(document) == []

    eventually(no_points)
    assert company.pushed("gone", TEAPOT) == document
    assert ann.found("porcelain teapot") == [document]


def test_what_cannot_be_parsed_is_told_and_empties_the_document(company: Company, behind: Behind) -> None:
    document = company.pushed("contract", TEAPOT, mime="text/markdown")
    assert company.person("ann").found("porcelain teapot") == [document]
    broken = {"content": "%PDF-1.7\nnothing that a reader could make sense of", "mime": "application/pdf"}
    done(company.admin.put(f"/v1/sources/{PUSHED}/documents/contract", {**broken, "acl": EVERYONE}))
    detail = company.indexed()
    assert [failure["external_id"] for failure in detail["failures"]] == ["contract"]
    assert "parse: " in detail["failures"][0]["message"]
    assert detail["documents"]["failed"] == 1
    assert company.person("ann").found("porcelain teapot") == []
    assert company.person("ann").get(f"/v1/documents/{document}").json()["blocks"] == []
    assert behind.points(document) == []

    company.pushed("contract", TEAPOT, mime="text/markdown")
    assert company.indexed()["failures"] == []


def test_a_poisonous_event_is_buried_and_stops_nothing(company: Company) -> None:
    subject = f"cortex.chunked.{company.tenant.hex}"

    async def poisoned() -> dict[str, str]:
        bus = await NatsBus.connect(company.platform.urls["CORTEX_NATS_URL"])
        try:
            await bus.publish(subject, b"\xff not an event", message_id=f"poison-{company.name}")
            return await _dead_letter(company)
        finally:
            await bus.close()

    letter = asyncio.run(poisoned())
    assert letter["Cortex-Subject"] == subject
    assert letter["Cortex-Error"] == "Invalid: not a StageEvent"
    document = company.pushed("after", TEAPOT)
    assert company.person("ann").found("porcelain teapot") == [document]


async def _dead_letter(company: Company) -> dict[str, str]:
    client = await nats.connect(company.platform.urls["CORTEX_NATS_URL"])
    try:
        letters = await client.jetstream().subscribe(f"cortex.dead.embed.{company.tenant.hex}", ordered_consumer=True)
        message = await letters.next_msg(timeout=30)
        return dict(message.headers or {})
    finally:
        await client.close()
