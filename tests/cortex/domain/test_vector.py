"""Values of the vector index that refuse to be wrong."""

import math
import uuid

import pytest

from cortex.domain.errors import Invalid
from cortex.domain.identity import TenantId
from cortex.domain.vector import CollectionSpec, IndexAcl, SearchScope, SparseVector

SOMEONE = f"p:{uuid.UUID(int=1)}"


@pytest.mark.parametrize(
    ("indices", "values"), [([1], []), ([], [1.0]), ([1, 1], [1.0, 1.0]), ([1], [math.inf]), ([1], [math.nan])]
)
def test_a_sparse_vector_is_finite_and_names_each_term_once(indices: list[int], values: list[float]) -> None:
    with pytest.raises(Invalid, match="sparse vector"):
        SparseVector(indices, values)


@pytest.mark.parametrize("token", ["", "p:", "p:alice", "u:" + SOMEONE[2:], SOMEONE.upper(), SOMEONE + "0", "**"])
def test_a_principal_is_a_person_a_group_the_tenant_or_everyone(token: str) -> None:
    with pytest.raises(Invalid, match="principal"):
        SearchScope(TenantId(uuid.uuid4()), frozenset({token}))
    with pytest.raises(Invalid, match="principal"):
        IndexAcl(clauses=(frozenset({token}),), deny=frozenset())
    with pytest.raises(Invalid, match="principal"):
        IndexAcl(clauses=(), deny=frozenset({token}))


def test_the_index_holds_four_clauses() -> None:
    clause = frozenset({SOMEONE, "t", "*"})
    assert IndexAcl(clauses=(clause,) * 4, deny=frozenset())
    with pytest.raises(Invalid, match="5 clauses"):
        IndexAcl(clauses=(clause,) * 5, deny=frozenset())


@pytest.mark.parametrize(("alias", "collection"), [("a", "a"), ("", "b"), ("a", "b/c"), ("a", "b" * 129)])
def test_collections_have_plain_names_apart_from_their_alias(alias: str, collection: str) -> None:
    with pytest.raises(Invalid, match="collection"):
        CollectionSpec(alias=alias, collection=collection, dense_dimensions=4)
