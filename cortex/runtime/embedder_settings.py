"""Which model embeds: the one that is built in, or an engine over HTTP. From the environment, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from cortex.domain.embedding_engine import Declared, EmbeddingEngine
from cortex.domain.encoding import EVERY_LANGUAGE
from cortex.domain.errors import Invalid

DIMENSIONS_MAX = 8_192
TOKENS_MIN, TOKENS_MAX = 256, 131_072
"""A passage has up to 256 tokens."""
TOKENIZER_FILE = "tokenizer.json"


class EmbedderKind(StrEnum):
    BUILT_IN = "built-in"
    OPENAI = "openai"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """`engine` None: the built-in model. `tokenizer` None: its tokenizer counts for the engine's too."""

    kind: EmbedderKind = EmbedderKind.BUILT_IN
    engine: EmbeddingEngine | None = None
    tokenizer: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "EmbedderSettings":
        """Raises Invalid with the variable and the mend."""
        name = environment.get("CORTEX_EMBEDDER") or EmbedderKind.BUILT_IN
        if name not in list(EmbedderKind):
            raise Invalid(f"CORTEX_EMBEDDER={name}: use one of {', '.join(EmbedderKind)}")
        kind = EmbedderKind(name)
        if kind is EmbedderKind.BUILT_IN:
            return cls()
        url, model = environment.get("CORTEX_EMBEDDER_URL", ""), environment.get("CORTEX_EMBEDDER_MODEL", "")
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            example = "http://engine:8000/v1" if kind is EmbedderKind.OPENAI else "http://engine:8080"
            raise Invalid(f"CORTEX_EMBEDDER={kind}: set CORTEX_EMBEDDER_URL to its address, as {example}")
        if not model:
            raise Invalid(f"CORTEX_EMBEDDER={kind}: set CORTEX_EMBEDDER_MODEL to the model's name")
        declared = Declared(
            model=model,
            revision=environment.get("CORTEX_EMBEDDER_REVISION") or "1",
            dimensions=_number(environment, "DIMENSIONS", default=None, least=8, most=DIMENSIONS_MAX),
            tokens_max=_number(environment, "TOKENS_MAX", default=512, least=TOKENS_MIN, most=TOKENS_MAX),
            query_prefix=_prefix(environment, "QUERY_PREFIX"),
            passage_prefix=_prefix(environment, "PASSAGE_PREFIX"),
        )
        engine = EmbeddingEngine(
            url=url,
            declared=declared,
            languages=_languages(environment.get("CORTEX_EMBEDDER_LANGUAGES", "")),
            key=_key(environment),
            batch=_number(environment, "BATCH", default=32, least=1, most=1_024),
            batches=_number(environment, "BATCHES", default=2, least=1, most=64),
            timeout_s=_number(environment, "TIMEOUT_S", default=30, least=1, most=600),
            tries=_number(environment, "TRIES", default=4, least=1, most=10),
        )
        return cls(kind, engine, _tokenizer(environment.get("CORTEX_EMBEDDER_TOKENIZER", "")))


def _number(environment: Mapping[str, str], name: str, *, default: int | None, least: int, most: int) -> int:
    variable = f"CORTEX_EMBEDDER_{name}"
    text = environment.get(variable, "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
        raise Invalid(f"{variable}={text}: set a whole number from {least} to {most}")
    return int(text)


def _prefix(environment: Mapping[str, str], name: str) -> str:
    """`\\n` stands for a line break, which a variable rarely survives with."""
    return environment.get(f"CORTEX_EMBEDDER_{name}", "").replace("\\n", "\n")


def _languages(text: str) -> frozenset[str]:
    codes = frozenset(text.replace(",", " ").lower().split())
    if not codes or any(code != EVERY_LANGUAGE and not (code.isalpha() and len(code) == 2) for code in codes):
        raise Invalid(
            f"CORTEX_EMBEDDER_LANGUAGES={text}: set the codes of its languages, as `en,de,zh`, or `*` for all of them"
        )
    return codes


def _key(environment: Mapping[str, str]) -> str:
    path = environment.get("CORTEX_EMBEDDER_KEY_FILE", "")
    if not path:
        return environment.get("CORTEX_EMBEDDER_KEY", "")
    try:
        key = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise Invalid(f"CORTEX_EMBEDDER_KEY_FILE: {path} cannot be read") from error
    if not key:
        raise Invalid(f"CORTEX_EMBEDDER_KEY_FILE: {path} is empty")
    return key


def _tokenizer(text: str) -> Path | None:
    if not text:
        return None
    path = Path(text)
    path = path / TOKENIZER_FILE if path.is_dir() else path
    if not path.is_file():
        raise Invalid(f"CORTEX_EMBEDDER_TOKENIZER={text}: name a folder with {TOKENIZER_FILE}")
    return path
