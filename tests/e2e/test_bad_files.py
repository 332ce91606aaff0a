"""Files that are broken, hostile or wrong: each gives one clear failure, and the rest is indexed."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib import pdfencrypt
from reportlab.pdfgen.canvas import Canvas

from tests.e2e.company import Company

SOURCE = "docs"
BYTES_MAX = 200_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    (root / "good.md").write_text("# Orchard\n\nThe quince tree bears in October.\n", encoding="utf-8")
    return root


def synced(company: Company, folder: Path, **config: object) -> dict[str, dict[str, Any]]:
    """Failures by item; what is good is found all the same."""
    company.add_files(SOURCE, {"path": str(folder), **config})
    detail = company.synced(SOURCE)
    assert detail["runs"][0]["state"] == "done"
    good = company.document_id("good.md", source=SOURCE)
    assert company.person("ann").found("quince tree")[0] == good
    failures = {failure["external_id"]: failure for failure in detail["failures"]}
    assert len(failures) == len(detail["failures"]) == detail["documents"]["failed"]
    return failures


def encrypted(path: Path) -> None:
    canvas = Canvas(str(path), encrypt=pdfencrypt.StandardEncryption("secret", canPrint=0))
    canvas.drawString(72, 720, "The vault combination is on this page.")
    canvas.save()


def test_each_bad_file_gives_one_failure_with_its_place_and_mend(company: Company, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\ngarbage")
    encrypted(folder / "encrypted.pdf")
    (folder / "empty.md").write_bytes(b"")
    (folder / "huge.txt").write_bytes(b"large " * BYTES_MAX)
    with zipfile.ZipFile(folder / "lying.pdf", "w") as archive:
        archive.writestr("notes.txt", "this is no PDF")
    (folder / "outside.md").symlink_to("/etc/passwd")
    (folder / "noise.docx").write_bytes(bytes(range(256)) * 40)

    failures = synced(company, folder, bytes_max=BYTES_MAX)
    assert failures.keys() == {
        "broken.pdf",
        "encrypted.pdf",
        "empty.md",
        "huge.txt",
        "lying.pdf",
        "outside.md",
        "noise.docx",
    }
    for name, failure in failures.items():
        assert failure["place"] == name
        assert failure["message"].startswith(("fetch: ", "parse: "))
    said = {name: failure["message"].lower() for name, failure in failures.items()}
    assert "password" in said["encrypted.pdf"] or "encrypted" in said["encrypted.pdf"]
    assert "bytes_max" in said["huge.txt"]
    assert "zip" in said["lying.pdf"]
    assert "empty" in said["empty.md"] or "no text" in said["empty.md"]
    assert "link" in said["outside.md"]
    assert not company.person("ann").opens(company.document_id("outside.md", source=SOURCE))


def test_a_mended_file_is_no_failure_any_more(company: Company, folder: Path) -> None:
    (folder / "late.md").write_bytes(b"")
    assert synced(company, folder).keys() == {"late.md"}
    (folder / "late.md").write_text("# Late\n\nThe medlar ripens after frost.\n", encoding="utf-8")
    assert company.synced(SOURCE)["failures"] == []
    assert company.person("ann").found("medlar frost")[0] == company.document_id("late.md", source=SOURCE)


@pytest.mark.parametrize(
    ("described", "line", "says"),
    [
        ("public: tenant\nallows: [group:crew]\n", 2, "allows"),
        ("allow: [ann]\n", 1, "ann"),
        ("allow: ['user:not an address']\n", 1, "not an address"),
        ("public: everyone\n", 1, "everyone"),
        ("public: [tenant\n", None, ""),
        ("files:\n  absent.md: {public: tenant}\n", 2, "absent.md"),
        ("deny: ['viewers:docs/x']\n", 1, "viewers"),
    ],
)
def test_a_mistake_in_an_acl_hides_its_folder_and_is_told_with_its_line(
    company: Company, folder: Path, described: str, line: int | None, says: str
) -> None:
    below = folder / "below"
    below.mkdir()
    (below / "acl.yaml").write_text(described, encoding="utf-8")
    (below / "hidden.md").write_text("# Cellar\n\nThe cider barrels are numbered in chalk.\n", encoding="utf-8")
    (failure,) = synced(company, folder).values()
    assert failure["place"].startswith("below/acl.yaml:")
    assert line is None or failure["place"] == f"below/acl.yaml:{line}"
    assert says in failure["message"]
    hidden = company.document_id("below/hidden.md", source=SOURCE)
    ann = company.person("ann")
    assert hidden not in ann.found("cider barrels chalk")
    assert not ann.opens(hidden)


def test_a_person_whom_nobody_knows_yet_may_be_named(company: Company, folder: Path) -> None:
    """An ACL may come before the person; they see it from their first day."""
    (folder / "acl.yaml").write_text(
        "public: tenant\nfiles:\n  letter.md: {allow: ['user:newcomer@acme.example']}\n", encoding="utf-8"
    )
    (folder / "letter.md").write_text("# Letter\n\nWelcome to the pomology group.\n", encoding="utf-8")
    assert synced(company, folder) == {}
    letter = company.document_id("letter.md", source=SOURCE)
    assert letter not in company.person("ann").found("pomology group")
    assert letter in company.person("newcomer").found("pomology group")


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({}, "config.path"),
        ({"path": "relative/folder"}, "config.path"),
        ({"path": "/no/such/folder"}, "/no/such/folder"),
        ({"path": "/tmp", "paths": []}, "paths"),
        ({"path": "/tmp", "bytes_max": 0}, "config.bytes_max"),
        ({"path": "/tmp", "acl": {"allows": []}}, "config.acl"),
        ({"path": "/tmp", "follow_symlinks": True}, "config.follow_symlinks"),
    ],
)
def test_a_wrong_config_is_refused_with_its_key(company: Company, config: dict[str, object], says: str) -> None:
    response = company.admin.post("/admin/v1/sources", {"name": SOURCE, "type": "files", "config": config})
    assert response.status_code in (404, 422), response.text
    assert says in response.json()["detail"], response.text
    assert company.admin.get("/admin/v1/sources").json()["items"] == []


def test_a_source_needs_a_known_type_and_a_name_of_its_own(company: Company, folder: Path) -> None:
    unknown = company.admin.post("/admin/v1/sources", {"name": SOURCE, "type": "telepathy", "config": {}})
    assert unknown.status_code == 422
    assert "telepathy" in unknown.json()["detail"]
    company.add_files(SOURCE, {"path": str(folder)})
    twice = company.admin.post("/admin/v1/sources", {"name": SOURCE, "type": "files", "config": {"path": str(folder)}})
    assert twice.status_code == 409
