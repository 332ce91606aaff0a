"""A cross-encoder from a folder: what is missing is named, and the model sees pairs."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from cortex.adapters.reranking.local import LocalCrossEncoder
from cortex.domain.errors import Invalid


class Overlap:
    """In the place of the library's model: counts words that both have."""

    def predict(self, pairs: list[tuple[str, str]], *, batch_size: int, show_progress_bar: bool) -> Sequence[float]:
        return [float(len(set(query.split()) & set(passage.split()))) for query, passage in pairs]


async def test_question_and_passage_are_read_together() -> None:
    encoder = LocalCrossEncoder(Overlap())
    assert await encoder.score("bees and honey", ["bees make honey", "no", "and"]) == [2.0, 0.0, 1.0]
    assert await encoder.score("bees", []) == []


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"config\.json"):
        LocalCrossEncoder.opened(tmp_path)


def test_without_the_library_its_extra_is_named(tmp_path: Path) -> None:
    if find_spec("sentence_transformers") is not None:
        pytest.skip("it is installed here")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(Invalid, match="extra `torch`"):
        LocalCrossEncoder.opened(tmp_path)
