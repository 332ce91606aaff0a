"""A folder as a source: what a sync changes, and what it leaves alone."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.behind import Behind
from tests.e2e.company import Company

SOURCE = "docs"
EVERYONE = "public: tenant\n"
WRITTEN = {
    "acl.yaml": EVERYONE,
    "harbour.md": "# Harbour\n\nThe lighthouse keeper logs every vessel at dusk.\n",
    "ships/tug.md": "# Tug\n\nThe tugboat Amalia pulls barges of gravel.\n",
    "ships/ferry.txt": "The ferry Ottilie carries bicycles for free.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    for name, text in WRITTEN.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def state(company: Company, behind: Behind) -> dict[str, Any]:
    """Every row that a sync could write, each with the transaction that did, and what waits to be sent."""
    tenant = company.tenant
    tables = ("documents", "containers", "blocks", "chunks", "chunk_vectors", "relation_tuples", "groups")
    found: dict[str, Any] = {
        table: behind.rows(f"SELECT xmin::text, t.* FROM {table} t WHERE tenant_id = %s ORDER BY t", tenant)
        for table in tables
    }
    found["sequence"] = behind.rows("SELECT last FROM permission_sequences WHERE tenant_id = %s", tenant)
    found["outbox"] = behind.rows("SELECT id FROM event_outbox WHERE tenant_id = %s", tenant)
    found["points"] = {str(row["id"]): behind.points(str(row["id"])) for row in found["documents"]}
    return found


def test_a_sync_that_finds_nothing_new_embeds_nothing_and_writes_nothing(
    company: Company, behind: Behind, folder: Path
) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    first = company.synced(SOURCE)
    assert (first["runs"][0]["seen"], first["runs"][0]["changed"], first["failures"]) == (3, 3, [])
    before = state(company, behind)
    again = company.synced(SOURCE)
    assert again["runs"][0]["state"] == "done"
    assert [again["runs"][0][count] for count in ("seen", "changed", "containers")] == [3, 0, 0]
    assert state(company, behind) == before


def test_a_full_sync_reads_all_of_it_and_embeds_nothing(company: Company, behind: Behind, folder: Path) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    company.synced(SOURCE)
    before = state(company, behind)
    again = company.synced(SOURCE, full=True)
    assert (again["runs"][0]["seen"], again["runs"][0]["changed"]) == (3, 0)
    assert state(company, behind) == before


def test_a_renamed_file_keeps_its_vectors(company: Company, behind: Behind, folder: Path) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    company.synced(SOURCE)
    ann, vectors = company.person("ann"), behind.vectors(company.tenant)
    assert ann.found("lighthouse keeper")[0] == company.document_id("harbour.md", source=SOURCE)
    (folder / "harbour.md").rename(folder / "ships" / "harbour.md")
    company.synced(SOURCE)
    assert ann.found("lighthouse keeper")[0] == company.document_id("ships/harbour.md", source=SOURCE)
    assert behind.vectors(company.tenant) == vectors


def test_an_edited_file_is_embedded_alone_and_a_deleted_one_is_gone(
    company: Company, behind: Behind, folder: Path
) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    company.synced(SOURCE)
    before, ann = behind.vectors(company.tenant), company.person("ann")
    (folder / "harbour.md").write_text("# Harbour\n\nThe lighthouse is automatic since spring.\n", encoding="utf-8")
    (folder / "ships" / "tug.md").unlink()
    detail = company.synced(SOURCE)
    run = detail["runs"][0]
    assert (run["changed"], run["deleted"], detail["documents"]["indexed"]) == (1, 1, 2)
    assert "automatic" in ann.search("lighthouse")["results"][0]["snippet"]
    assert company.document_id("ships/tug.md", source=SOURCE) not in ann.found("tugboat Amalia")
    after = behind.vectors(company.tenant)
    assert len(after.keys() - before.keys()) == 1


def test_a_folder_that_is_closed_hides_what_lies_in_it_without_embedding(
    company: Company, behind: Behind, folder: Path
) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    company.synced(SOURCE)
    ann, bob, vectors = company.person("ann"), company.person("bob"), behind.vectors(company.tenant)
    tug = company.document_id("ships/tug.md", source=SOURCE)
    assert (tug in ann.found("tugboat"), tug in bob.found("tugboat")) == (True, True)
    (folder / "ships" / "acl.yaml").write_text("allow: ['user:ann@acme.example']\n", encoding="utf-8")
    run = company.synced(SOURCE)["runs"][0]
    assert (run["changed"], run["containers"]) == (0, 1)
    assert (tug in ann.found("tugboat"), tug in bob.found("tugboat")) == (True, False)
    assert (ann.opens(tug), bob.opens(tug)) == (True, False)
    assert behind.vectors(company.tenant) == vectors


def test_a_removed_source_leaves_nothing_behind(company: Company, behind: Behind, folder: Path) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    company.synced(SOURCE)
    ann = company.person("ann")
    assert ann.found("lighthouse keeper")
    assert company.admin.delete(f"/admin/v1/sources/{SOURCE}").status_code == 202
    company.removed(SOURCE)
    assert ann.found("lighthouse keeper") == []
    assert behind.rows("SELECT id FROM documents WHERE tenant_id = %s AND tombstoned_at IS NULL", company.tenant) == []


def test_a_root_that_went_away_fails_the_run_and_deletes_nothing(company: Company, folder: Path) -> None:
    company.add_files(SOURCE, {"path": str(folder)})
    company.synced(SOURCE)
    folder.rename(folder.with_name("elsewhere"))
    detail = company.synced(SOURCE)
    assert detail["runs"][0]["state"] == "failed"
    assert "nothing was deleted" in detail["runs"][0]["error"]
    assert company.person("ann").found("lighthouse keeper")
