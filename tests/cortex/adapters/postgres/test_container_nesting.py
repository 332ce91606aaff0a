"""How deep containers may lie in one another: never deeper than the permission engine walks, however they come to."""

import pytest

from cortex.adapters.postgres.container_rows import DEPTH_MAX
from cortex.domain.acl import parse_acl
from cortex.domain.change import ContainerState
from cortex.domain.errors import Invalid
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers
EVERYONE = parse_acl({"public": "tenant"})


async def put(store: Store, name: str, parent: str | None, *, viewers: str | None = None) -> None:
    acl = EVERYONE if viewers is None else parse_acl({"allow": [f"viewers:wiki/{viewers}"], "inherit": "extend"})
    await store.writer.put_container(store.tenant, store.source, ContainerState(name, parent, acl))


async def chain(store: Store, name: str, length: int, *, top: str | None = None) -> None:
    for number in range(length):
        await put(store, f"{name}{number}", f"{name}{number - 1}" if number else top)


async def test_one_more_is_refused_at_the_lower_end(store: Store) -> None:
    await chain(store, "a", DEPTH_MAX)
    with pytest.raises(Invalid, match=f"among {DEPTH_MAX + 1} containers in one another; at most {DEPTH_MAX}"):
        await put(store, "one-more", f"a{DEPTH_MAX - 1}")


async def test_what_lies_below_counts_when_a_container_moves_or_comes_late(store: Store) -> None:
    await chain(store, "a", DEPTH_MAX - 10)
    await chain(store, "b", 11)
    with pytest.raises(Invalid, match="at most"):
        await put(store, "b0", f"a{DEPTH_MAX - 11}")
    await put(store, "b0", f"a{DEPTH_MAX - 12}")
    await chain(store, "late", 1, top="not-there-yet")
    await put(store, "late1", "late0")
    with pytest.raises(Invalid, match="at most"):
        await put(store, "not-there-yet", "b9")


async def test_viewers_are_a_way_up_as_well(store: Store) -> None:
    await chain(store, "a", DEPTH_MAX - 1)
    await put(store, "refers", None, viewers=f"a{DEPTH_MAX - 2}")
    with pytest.raises(Invalid, match="at most"):
        await put(store, "below", "refers")
    with pytest.raises(Invalid, match="leads back"):
        await put(store, "a0", None, viewers="refers")


async def test_a_change_that_moves_nothing_is_let_through(store: Store) -> None:
    """Also of what was deeper before there was this bound."""
    await chain(store, "a", 3)
    acl = parse_acl({"allow": ["user:ann@acme.example"]})
    await store.writer.put_container(store.tenant, store.source, ContainerState("a1", "a0", acl))
