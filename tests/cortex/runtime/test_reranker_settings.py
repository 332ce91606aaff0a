"""Which cross-encoder is configured, and what is said where it is configured halfway."""

from pathlib import Path

import pytest

from cortex.domain.errors import Invalid
from cortex.runtime.reranker_settings import RerankerKind, RerankerSettings

read = RerankerSettings.from_environment


def test_none_unless_named() -> None:
    assert read({}) == RerankerSettings(RerankerKind.NONE)
    assert not read({"CORTEX_RERANKER_URL": "http://engine"}).chosen


def test_an_engine_has_an_address(tmp_path: Path) -> None:
    found = read({"CORTEX_RERANKER": "tei", "CORTEX_RERANKER_URL": "http://engine:8080", "CORTEX_RERANKER_KEY": "k-1"})
    assert (found.kind, found.url, found.key, found.chosen) == (RerankerKind.TEI, "http://engine:8080", "k-1", True)
    assert "k-1" not in repr(found)
    assert read({"CORTEX_RERANKER": "folder", "CORTEX_RERANKER_MODEL": str(tmp_path)}).model == str(tmp_path)


@pytest.mark.parametrize(
    ("environment", "mend"),
    [
        ({"CORTEX_RERANKER": "best"}, "use one of none, folder, tei, cohere, vllm"),
        ({"CORTEX_RERANKER": "tei"}, "CORTEX_RERANKER_URL"),
        ({"CORTEX_RERANKER": "vllm", "CORTEX_RERANKER_URL": "engine:80"}, "CORTEX_RERANKER_URL"),
        ({"CORTEX_RERANKER": "folder"}, "CORTEX_RERANKER_MODEL"),
        ({"CORTEX_RERANKER": "folder", "CORTEX_RERANKER_MODEL": "/nowhere"}, "CORTEX_RERANKER_MODEL"),
    ],
)
def test_half_a_configuration_is_refused_with_the_mend(environment: dict[str, str], mend: str) -> None:
    with pytest.raises(Invalid, match=mend):
        read(environment)
