"""The plain reading of the contract, case by case, on a company of three people."""

from pathlib import Path

import pytest

from tests.demo.oracle import Oracle, acl_from, load_oracle

COMPANY = """
name: Small
people:
  - {email: ann@small.example, name: Ann}
  - {email: bob@small.example, name: Bob}
  - {email: eve@guest.example, name: Eve, guest: true}
groups:
  - {id: outer, name: Outer, members: ["group:inner"]}
  - {id: inner, name: Inner, members: ["user:ann@small.example"]}
"""
ANN, BOB, EVE = "ann@small.example", "bob@small.example", "eve@guest.example"


def company(tmp_path: Path, *, root: str, folder: str, file: str = "{}") -> Oracle:
    """One source `s` with one folder `f` with one file `d.md`, each with its ACL; and an open source `chat`."""
    (tmp_path / "company.yaml").write_text(COMPANY)
    inner = tmp_path / "sources" / "s" / "f"
    inner.mkdir(parents=True)
    (inner / "d.md").write_text("text")
    (inner.parent / "acl.yaml").write_text(root)
    (inner / "acl.yaml").write_text(f"{folder}\nfiles:\n  d.md: {file}\n")
    chat = tmp_path / "sources" / "chat"
    chat.mkdir()
    (chat / "acl.yaml").write_text('allow: ["user:bob@small.example"]')
    return load_oracle(tmp_path)


def readers(oracle: Oracle) -> set[str]:
    return {email for email in oracle.people if oracle.visible(email, "s/f/d.md")}


@pytest.mark.parametrize(
    ("root", "folder", "file", "expected"),
    [
        ("public: tenant", "public: none", "{}", {ANN, BOB}),
        ("public: tenant", 'allow: ["group:outer"]', "{}", {ANN}),
        ("public: tenant", 'allow: ["group:outer"]', '{allow: ["user:bob@small.example"]}', set()),
        (
            "public: tenant",
            'allow: ["group:outer"]',
            '{allow: ["user:bob@small.example"], inherit: extend}',
            {ANN, BOB},
        ),
        ("public: tenant", 'allow: ["user:eve@guest.example"]', "{}", set()),
        ("public: tenant", 'allow: ["user:eve@guest.example"]\ninherit: none', "{}", {EVE}),
        ("public: tenant", 'deny: ["group:outer"]', "{}", {BOB}),
        ("public: tenant", 'deny: ["group:outer"]', '{allow: ["user:ann@small.example"], inherit: extend}', {ANN, BOB}),
        ("public: tenant", 'all_of: [["group:outer"], ["user:bob@small.example"]]', "{}", set()),
        ("public: tenant", 'all_of: [["group:outer", "user:bob@small.example"]]', "{}", {ANN, BOB}),
        ("public: tenant", "complete: false", "{public: tenant, inherit: extend}", set()),
        ("public: tenant", "complete: false", "{public: tenant, inherit: none}", {ANN, BOB}),
        ("complete: false", "public: none", "{public: tenant, inherit: extend}", set()),
        ("allow: []", "public: tenant", "{}", set()),
        ("public: tenant", "public: none", '{allow: ["viewers:chat/."]}', {BOB}),
        ("public: tenant", "public: none", "{public: link, inherit: none}", set()),
    ],
)
def test_who_may_see_a_file(tmp_path: Path, root: str, folder: str, file: str, expected: set[str]) -> None:
    assert readers(company(tmp_path, root=root, folder=folder, file=file)) == expected


def test_a_link_opens_for_the_tenant_and_not_for_guests(tmp_path: Path) -> None:
    oracle = company(tmp_path, root="public: tenant", folder="public: none", file="{public: link, inherit: none}")
    assert {email for email in oracle.people if oracle.openable(email, "s/f/d.md")} == {ANN, BOB}


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="alow"):
        acl_from({"alow": []}, where="here")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    company(tmp_path, root="public: tenant", folder="public: none")
    (tmp_path / "sources" / "s" / "f" / "d.md").unlink()
    with pytest.raises(ValueError, match=r"d\.md"):
        load_oracle(tmp_path)
