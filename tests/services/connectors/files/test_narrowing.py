"""While a new ACL takes effect, nobody sees what neither the old state nor the new one lets them see."""

import json
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.acl import (
    NOTHING_OF_ITS_OWN,
    Acl,
    AclOf,
    Asker,
    Group,
    GroupRef,
    Inherit,
    Node,
    Person,
    Principal,
    PrincipalRef,
    Public,
    UserRef,
    acl_json,
    openable,
    resolve,
    visible,
)
from cortex.domain.change import ContainerState, DocumentState
from cortex.domain.identity import ContainerId, GroupId, PersonId, SourceId, TenantId
from cortex.ports.source_writer import Written
from cortex.testing.sources import MemorySources
from services.connectors.sources.files.narrowing import narrows
from tests.services.connectors.support import Folder

ANN, ENG = UserRef("ann@acme.example"), GroupRef(None, "eng")
NAMED: Mapping[PrincipalRef, Principal] = {
    ANN: Person(PersonId(uuid.UUID(int=1))),
    ENG: Group(GroupId(uuid.UUID(int=2))),
}
ASKERS = [
    Asker(person, groups, guest)
    for person in (PersonId(uuid.UUID(int=1)), PersonId(uuid.UUID(int=3)))
    for groups in (frozenset[GroupId](), frozenset([GroupId(uuid.UUID(int=2))]))
    for guest in (False, True)
]
SOME: st.SearchStrategy[frozenset[PrincipalRef]] = st.frozensets(st.sampled_from([ANN, ENG]), max_size=2)
ACLS: st.SearchStrategy[Acl] = st.builds(
    AclOf,
    allow=SOME,
    deny=st.frozensets(st.sampled_from([ANN, ENG]), max_size=1),
    all_of=st.frozensets(SOME, max_size=1),
    public=st.sampled_from(Public),
    complete=st.sampled_from([True, True, True, False]),
    inherit=st.sampled_from(Inherit),
)


def identifier(external: str) -> ContainerId:
    return ContainerId(uuid.uuid5(uuid.NAMESPACE_URL, external))


def node(acl: Acl | None, parent: str | None) -> Node:
    return Node(resolve(acl or NOTHING_OF_ITS_OWN, NAMED.__getitem__), identifier(parent) if parent else None)


@settings(max_examples=300, deadline=None)
@given(ACLS, ACLS, ACLS, ACLS, st.booleans())
def test_what_narrows_gives_nobody_more(old: Acl, new: Acl, around: Acl, below: Acl, top: bool) -> None:
    if not narrows(old, new, top=top):
        return
    document = node(below, "here")
    for asker in ASKERS:
        seen = []
        for acl in (old, new):
            containers = {identifier("here"): node(acl, None if top else "top"), identifier("top"): node(around, None)}
            seen.append(
                (visible(document, containers, asker), openable(containers[identifier("here")], containers, asker))
            )
        assert all(before or not after for before, after in zip(*seen, strict=True))


def test_the_plain_cases_are_decided() -> None:
    public: Acl = AclOf(public=Public.TENANT)
    eng: Acl = AclOf(allow=frozenset([ENG]))
    assert narrows(NOTHING_OF_ITS_OWN, eng, top=False)
    assert not narrows(eng, NOTHING_OF_ITS_OWN, top=False)
    assert narrows(public, AclOf(public=Public.TENANT, deny=frozenset([ANN])), top=True)
    assert not narrows(NOTHING_OF_ITS_OWN, public, top=True)


class Watched(MemorySources):
    """Notes after every write who sees what."""

    def __init__(self) -> None:
        super().__init__()
        self.folder: Folder | None = None
        self.seen: list[frozenset[tuple[str, int]]] = []

    def view(self) -> frozenset[tuple[str, int]]:
        assert self.folder is not None
        states = self.containers(self.folder.source)
        containers = {identifier(name): node(state.acl, state.parent) for name, state in states.items()}
        documents = self.documents(self.folder.source)
        return frozenset(
            (path, number)
            for path, state in documents.items()
            for number, asker in enumerate(ASKERS)
            if openable(node(state.acl, state.container), containers, asker)
        )

    async def put_container(self, tenant: TenantId, source: SourceId, state: ContainerState) -> bool:
        made = await super().put_container(tenant, source, state)
        self.seen.append(self.view())
        return made

    async def put_document(
        self, tenant: TenantId, source: SourceId, state: DocumentState, *, reset: bool = False
    ) -> Written:
        written = await super().put_document(tenant, source, state, reset=reset)
        self.seen.append(self.view())
        return written


FOLDERS = {"": "r.md", "a/": "x.md", "a/b/": "y.md"}
LAID = st.fixed_dictionaries({prefix: st.tuples(ACLS, st.none() | ACLS) for prefix in FOLDERS})
Laid = dict[str, tuple[Acl, Acl | None]]


def lay(folder: Folder, laid: Laid) -> None:
    for prefix, (own, of_file) in laid.items():
        files = {"files": {FOLDERS[prefix]: acl_json(of_file)}} if of_file else {}
        folder.write(f"{prefix}acl.yaml", json.dumps(acl_json(own) | files))


@settings(max_examples=60, deadline=None)
@given(LAID, LAID, st.sampled_from([1, 2, 50]))
async def test_nobody_sees_in_between_what_they_see_neither_before_nor_after(
    before: Laid, after: Laid, page_size: int
) -> None:
    with tempfile.TemporaryDirectory() as root:
        sources = Watched()
        folder = Folder(Path(root), sources=sources, config={"page_size": page_size})
        sources.folder = folder
        for prefix, name in FOLDERS.items():
            folder.write(prefix + name)
        lay(folder, before)
        await folder.sync()
        old = sources.view()
        sources.seen.clear()
        lay(folder, after)
        await folder.sync()
        new = sources.view()
        for seen in sources.seen:
            assert seen <= old | new
        containers = sources.containers(folder.source)
        assert [containers[name].acl for name in (".", "a", "a/b")] == [after[prefix][0] for prefix in FOLDERS]
