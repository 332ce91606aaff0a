from cortex.domain.vector import SparseVector
from services.query_gateway.synonyms import WEIGHT, widened


def test_a_word_that_was_typed_keeps_its_weight() -> None:
    both = widened(SparseVector((1, 2), (1.0, 1.0)), SparseVector((2, 3), (1.0, 1.0)))
    assert dict(zip(both.indices, both.values, strict=True)) == {1: 1.0, 2: 1.0, 3: WEIGHT}
