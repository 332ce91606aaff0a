"""Which embedder is configured, and what is said where it is configured halfway."""

from pathlib import Path

import pytest

from cortex.domain.embedding_engine import Declared
from cortex.domain.errors import Invalid
from cortex.runtime.embedder_settings import EmbedderKind, EmbedderSettings

read = EmbedderSettings.from_environment
WHOLE = {
    "CORTEX_EMBEDDER": "openai",
    "CORTEX_EMBEDDER_URL": "http://vllm:8000/v1",
    "CORTEX_EMBEDDER_MODEL": "intfloat/multilingual-e5-large",
    "CORTEX_EMBEDDER_DIMENSIONS": "1024",
    "CORTEX_EMBEDDER_LANGUAGES": "en, de,zh",
}


def test_the_built_in_one_unless_another_is_named() -> None:
    assert read({}) == EmbedderSettings()
    assert read(WHOLE | {"CORTEX_EMBEDDER": "built-in"}).engine is None


def test_an_engine_is_what_its_operator_declares(tmp_path: Path) -> None:
    key, tokenizer = tmp_path / "key", tmp_path / "tokenizer.json"
    key.write_text("sk-1\n")
    tokenizer.write_text("{}")
    more = {
        "CORTEX_EMBEDDER_REVISION": "2024-05",
        "CORTEX_EMBEDDER_QUERY_PREFIX": "Instruct: find it\\nQuery:",
        "CORTEX_EMBEDDER_PASSAGE_PREFIX": "passage: ",
        "CORTEX_EMBEDDER_TOKENS_MAX": "8192",
        "CORTEX_EMBEDDER_KEY_FILE": str(key),
        "CORTEX_EMBEDDER_TOKENIZER": str(tmp_path),
        "CORTEX_EMBEDDER_BATCH": "64",
    }
    found = read(WHOLE | more)
    assert found.engine is not None
    assert found.engine.declared == Declared(
        "intfloat/multilingual-e5-large", "2024-05", 1024, 8192, "Instruct: find it\nQuery:", "passage: "
    )
    assert (found.kind, found.engine.key, found.engine.batch) == (EmbedderKind.OPENAI, "sk-1", 64)
    assert found.engine.languages == {"en", "de", "zh"}
    assert found.tokenizer == tokenizer
    assert "sk-1" not in repr(found)


def test_a_model_of_every_language_says_so() -> None:
    engine = read(WHOLE | {"CORTEX_EMBEDDER_LANGUAGES": "*"}).engine
    assert engine is not None
    assert engine.card.supports("sw")
    engine = read(WHOLE).engine
    assert engine is not None
    assert engine.card.supports("de")
    assert not engine.card.supports("sw")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"CORTEX_EMBEDDER": "best"}, "use one of built-in, openai, tei"),
        ({"CORTEX_EMBEDDER_URL": "vllm:8000"}, "CORTEX_EMBEDDER_URL"),
        ({"CORTEX_EMBEDDER_URL": "http://"}, "CORTEX_EMBEDDER_URL"),
        ({"CORTEX_EMBEDDER_MODEL": ""}, "CORTEX_EMBEDDER_MODEL"),
        ({"CORTEX_EMBEDDER_DIMENSIONS": ""}, "CORTEX_EMBEDDER_DIMENSIONS"),
        ({"CORTEX_EMBEDDER_DIMENSIONS": "many"}, "CORTEX_EMBEDDER_DIMENSIONS"),
        ({"CORTEX_EMBEDDER_LANGUAGES": ""}, "CORTEX_EMBEDDER_LANGUAGES"),
        ({"CORTEX_EMBEDDER_LANGUAGES": "german"}, "CORTEX_EMBEDDER_LANGUAGES"),
        ({"CORTEX_EMBEDDER_TOKENS_MAX": "64"}, "CORTEX_EMBEDDER_TOKENS_MAX"),
        ({"CORTEX_EMBEDDER_KEY_FILE": "/nowhere"}, "CORTEX_EMBEDDER_KEY_FILE"),
        ({"CORTEX_EMBEDDER_TOKENIZER": "/nowhere"}, "CORTEX_EMBEDDER_TOKENIZER"),
        ({"CORTEX_EMBEDDER_BATCH": "0"}, "CORTEX_EMBEDDER_BATCH"),
    ],
)
def test_half_a_configuration_is_refused_with_the_mend(changed: dict[str, str], named: str) -> None:
    with pytest.raises(Invalid, match=named.replace("*", ".")):
        read(WHOLE | changed)
