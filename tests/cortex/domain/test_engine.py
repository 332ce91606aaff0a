"""What may be said of an engine."""

from dataclasses import replace

import pytest

from cortex.domain.engine import Engine, EngineSpec, GenerationPlan, checked, routed
from cortex.domain.errors import Invalid

SPEC = EngineSpec("small", "https://llm.example:8000/v1", "Qwen/Qwen3-8B")


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "https://llm.example", "http://[::1]:1/v1"])
def test_an_address_of_http_is_fine(url: str) -> None:
    assert checked(replace(SPEC, url=url)).url == url


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"url": "ftp://llm.example"}, "url"),
        ({"url": "llm.example/v1"}, "url"),
        ({"url": "http:///v1"}, "url"),
        ({"url": "http://llm.example:99999999/v1"}, "url"),
        ({"url": "http://llm.example/v1?key=1"}, "url"),
        ({"url": "http://user:secret@llm.example/v1"}, "password"),
        ({"url": f"http://llm.example/{'x' * 600}"}, "url"),
        ({"name": "Not A Slug"}, "name"),
        ({"model": ""}, "model"),
        ({"model": "a b"}, "model"),
        ({"model": "x" * 300}, "model"),
        ({"answer_tokens_max": 0}, "answer_tokens_max"),
        ({"silence_s_max": 1e9}, "silence_s_max"),
        ({"calls_max": "many"}, "calls_max"),
    ],
)
def test_what_is_wrong_is_named(changed: dict[str, object], place: str) -> None:
    with pytest.raises(Invalid, match=place) as refused:
        checked(replace(SPEC, **changed))  # type: ignore[arg-type]
    assert "secret" not in str(refused.value)


def test_a_route_is_an_order() -> None:
    known = {name: Engine(replace(SPEC, name=name)) for name in ("a", "b")}
    assert [one.spec.name for one in routed(known, ["b", "gone", "a"])] == ["b", "a"]


def test_a_key_is_not_printed() -> None:
    assert "sk-1" not in repr(GenerationPlan((Engine(SPEC, "sk-1"),)))
