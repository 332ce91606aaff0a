"""The directory and the permissions of the demo company hold together."""

from collections import Counter
from pathlib import Path

import yaml

from tests.demo.conftest import DEMO
from tests.demo.oracle import Oracle

COMPANY_DOMAIN = "@kelvane.example"


def depth(oracle: Oracle, group: str) -> int:
    nested = [member.removeprefix("group:") for member in oracle.groups[group] if member.startswith("group:")]
    return 1 + max((depth(oracle, inner) for inner in nested), default=0)


def test_has_people_in_groups_three_deep_and_a_guest(oracle: Oracle) -> None:
    assert len(oracle.people) >= 14
    assert max(depth(oracle, group) for group in oracle.groups) >= 3
    guests = [person.email for person in oracle.people.values() if person.guest]
    assert guests == ["rosa.quintanilla@quintanilla-studio.example"]
    staff = oracle.people.keys() - set(guests)
    assert all(email.endswith(COMPANY_DOMAIN) for email in staff)


def test_every_principal_is_known(oracle: Oracle) -> None:
    named = {principal for acl in oracle.acls.values() for principal in acl.principals()}
    named |= {member for members in oracle.groups.values() for member in members}
    assert [principal for principal in sorted(named) if not oracle.knows(principal)] == []


def test_viewers_stand_in_allow_alone(oracle: Oracle) -> None:
    for acl in oracle.acls.values():
        others = {*acl.deny, *(principal for one_of in acl.all_of for principal in one_of)}
        assert not any(principal.startswith("viewers:") for principal in others)


def test_each_source_is_described_beside_its_folder_with_the_acl_of_its_root() -> None:
    folders = sorted(path for path in (DEMO / "sources").iterdir() if path.is_dir())
    assert [folder.name for folder in folders] == ["chat", "code", "drive", "mail", "tickets", "wiki"]
    for folder in folders:
        source = yaml.safe_load(folder.with_suffix(".yaml").read_text(encoding="utf-8"))
        root = yaml.safe_load((folder / "acl.yaml").read_text(encoding="utf-8"))
        assert source.keys() == {"name", "title", "acl"}
        assert source["name"] == folder.name
        assert source["acl"] == {key: value for key, value in root.items() if key != "files"}


def test_every_kind_of_permission_occurs(oracle: Oracle) -> None:
    folders = {node: acl for node, acl in oracle.acls.items() if node not in oracle.documents}
    assert {acl.inherit for acl in folders.values()} == {"restrict", "extend", "none"}
    assert any(acl.deny for acl in folders.values())
    assert any(acl.all_of for acl in folders.values())
    assert any(not acl.complete for acl in folders.values())
    documents = [oracle.acls[path] for path in oracle.documents]
    assert any(acl.public == "link" for acl in documents)
    assert any(principal.startswith("viewers:") for acl in documents for principal in acl.allow)


def test_the_guest_sees_one_folder(oracle: Oracle) -> None:
    seen = oracle.visible_documents("rosa.quintanilla@quintanilla-studio.example")
    assert {path.rpartition("/")[0] for path in seen} == {"drive/enclosure-redesign"}


def test_nobody_sees_the_incomplete_folder_or_finds_what_is_public_by_link(oracle: Oracle) -> None:
    closed = {path for path in oracle.documents if path.startswith("wiki/imported-2023/")}
    by_link = {path for path in oracle.documents if oracle.acls[path].public == "link"}
    assert closed
    assert by_link
    for email in oracle.people:
        assert not oracle.visible_documents(email) & (closed | by_link)


def test_export_controlled_material_needs_an_engineer_who_is_cleared(oracle: Oracle) -> None:
    readers = {email for email in oracle.people if oracle.visible(email, "code/crypto-module/README.md")}
    assert readers == {f"aylin.demir{COMPANY_DOMAIN}", f"tomasz.wrzeszczyk{COMPANY_DOMAIN}"}


def test_private_papers_have_one_reader(oracle: Oracle) -> None:
    for path in oracle.documents:
        if path.startswith("drive/home/"):
            owner = Path(path).parts[2] + COMPANY_DOMAIN
            assert [email for email in oracle.people if oracle.visible(email, path)] == [owner]


def test_everyone_at_the_company_sees_a_good_part_and_nobody_sees_all(oracle: Oracle) -> None:
    for person in oracle.people.values():
        if not person.guest:
            assert 60 <= len(oracle.visible_documents(person.email)) < len(oracle.documents)


def test_the_readme_introduces_everyone_and_counts_right(oracle: Oracle) -> None:
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    assert [person.name for person in oracle.people.values() if f"| {person.name} |" not in readme] == []
    assert f"{len(oracle.documents)} documents" in readme
    for source, count in Counter(path.partition("/")[0] for path in oracle.documents).items():
        assert f"| `{source}` | {count} |" in readme
