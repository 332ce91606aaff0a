"""Every administrative write leaves a line, and a line that was tampered with is found."""

import asyncio
from pathlib import Path

import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.database import Database
from cortex.domain.credential import Role
from tests.e2e.behind import Behind
from tests.e2e.company import EVERYONE, PUSHED, Company, done

SOURCE = f"/v1/sources/{PUSHED}"
TEXT = {"content": "# Minutes\n\nThe vote was unanimous.", "acl": EVERYONE}
MEMBERS = {"members": ["user:ann@acme.example"]}


def lines(company: Company, behind: Behind) -> list[tuple[str, str, str]]:
    """But for those about people whom a local token made known by their first request."""
    rows = behind.rows(
        "SELECT actor, action, object FROM audit WHERE tenant_id = %s"
        " AND details ->> 'by' IS DISTINCT FROM 'cortex-local' ORDER BY sequence",
        company.tenant,
    )
    return [(row["actor"], row["action"], row["object"]) for row in rows]


def verified(company: Company) -> tuple[int, int | None]:
    async def verify() -> tuple[int, int | None]:
        database = Database.connect(company.platform.urls["CORTEX_DATABASE_URL"], connections_max=1)
        try:
            return await PostgresAuditLog(database, SystemClock()).verify(company.tenant)
        finally:
            await database.close()

    return asyncio.run(verify())


def test_each_administrative_write_leaves_a_line(company: Company, behind: Behind, tmp_path: Path) -> None:
    admin = company.admin
    (tmp_path / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    ann = done(admin.put("/admin/v1/people/ann@acme.example", {"name": "Ann"})).json()["id"]
    done(admin.put("/admin/v1/groups/all", {"name": "All", **MEMBERS}))
    done(admin.put(f"{SOURCE}/documents/minutes", TEXT))
    done(admin.put(f"{SOURCE}/documents/minutes", TEXT))
    done(admin.put(f"{SOURCE}/containers/room", {"acl": EVERYONE}))
    done(admin.put(f"{SOURCE}/groups/crew", MEMBERS))
    done(admin.delete(f"{SOURCE}/containers/room"))
    done(admin.delete(f"{SOURCE}/documents/minutes"))
    company.add_files("docs", {"path": str(tmp_path)})
    company.synced("docs")
    done(admin.delete("/admin/v1/sources/docs"))
    document = company.document_id("minutes")
    assert lines(company, behind) == [
        (admin.email, action, place)
        for action, place in (
            ("person.put", ann),
            ("group.put", "all"),
            ("source.add", PUSHED),
            ("document.put", f"{PUSHED}/{document}"),
            ("container.put", f"{PUSHED}/room"),
            ("group.put", f"{PUSHED}/crew"),
            ("container.delete", f"{PUSHED}/room"),
            ("document.delete", f"{PUSHED}/minutes"),
            ("source.add", "docs"),
            ("source.sync", "docs"),
            ("source.remove", "docs"),
        )
    ]
    assert verified(company) == (12, None), "the administrator became known, too"


def test_what_was_refused_leaves_no_line(company: Company, behind: Behind) -> None:
    company.push("minutes", "text")
    before = lines(company, behind)
    assert company.admin.put(f"{SOURCE}/documents/minutes", {"content": "x"}).status_code == 422
    assert company.person("bob").put(f"{SOURCE}/documents/minutes", TEXT).status_code == 403
    assert company.person("bob", role=Role.OWNER).put("/admin/v1/groups/x", {"name": "x", **MEMBERS}).status_code == 403
    assert company.admin.delete("/admin/v1/sources/nothing").status_code == 404
    assert lines(company, behind) == before


def test_each_reading_of_a_document_leaves_a_line(company: Company, behind: Behind) -> None:
    document, ann = company.pushed("minutes", "# Minutes\n\nThe vote was unanimous."), company.person("ann")
    assert not ann.opens(company.document_id("other"))
    assert ann.opens(document)
    assert ann.get(f"/v1/documents/{document}/original").status_code == 200
    read = [(action, place) for _, action, place in lines(company, behind) if place == document]
    assert read == [("document.read", document), ("document.download", document)]


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit SET actor = 'somebody else' WHERE tenant_id = %s AND sequence = 3",
        "UPDATE audit SET at = at - interval '1 day' WHERE tenant_id = %s AND sequence = 3",
        "UPDATE audit SET details = '{\"revision\": 9}' WHERE tenant_id = %s AND sequence = 3",
        "DELETE FROM audit WHERE tenant_id = %s AND sequence = 3",
    ],
)
def test_tampering_is_found_at_its_place(company: Company, behind: Behind, tampering: str) -> None:
    for number in range(4):
        company.push(f"minutes-{number}", "text")
    assert verified(company) == (6, None)
    behind.change(tampering, company.tenant)
    assert verified(company) == (2, 3)
