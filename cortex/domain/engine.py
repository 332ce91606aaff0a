"""Language models behind OpenAI's HTTP API: what an administrator says of them, and in which order they are asked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cortex.domain.errors import Invalid
from cortex.domain.identity import slug

MODEL_CHARACTERS_MAX = 200
URL_CHARACTERS_MAX = 500
ENGINES_MAX = 20
_BOUNDS = (
    ("first_token_s_max", 0.1, 300),
    ("silence_s_max", 0.1, 300),
    ("answer_tokens_max", 16, 8_192),
    ("prompt_characters_max", 1_000, 400_000),
    ("calls_max", 1, 256),
)
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """`url` is the base of the API, as `https://llm.internal:8000/v1`.

    `first_token_s_max` and `silence_s_max` end a call that does not begin, or goes quiet; `answer_tokens_max` is asked
    of the model; `calls_max` at once from one process. `prompt_characters_max` bounds what the model is given to read.
    """

    name: str
    url: str
    model: str
    first_token_s_max: float = 20.0
    silence_s_max: float = 20.0
    answer_tokens_max: int = 512
    prompt_characters_max: int = 24_000
    calls_max: int = 8

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def origin(self) -> tuple[str, str]:
        """Where its key goes."""
        parts = urlsplit(self.url)
        return parts.scheme, parts.netloc.lower()


@dataclass(frozen=True, slots=True)
class Engine:
    """A specification with its key, where it has one. `operated`: the operator's, who may choose any address."""

    spec: EngineSpec
    key: str | None = field(default=None, repr=False)
    operated: bool = False


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """The engines to ask, in order, and how many tokens may still be spent today. None: no budget."""

    engines: tuple[Engine, ...] = ()
    tokens_left: int | None = None

    @property
    def spent(self) -> bool:
        return self.tokens_left is not None and self.tokens_left <= 0


def checked(spec: EngineSpec) -> EngineSpec:
    """Raises Invalid that names the field and the mend."""
    if not all(isinstance(text, str) for text in (spec.name, spec.url, spec.model)):
        raise Invalid("name, url, model: expected texts")
    slug(spec.name)
    try:
        parts = urlsplit(spec.url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise Invalid("url: expected http://HOST[:PORT]/v1 or https://HOST[:PORT]/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine or parts.query or parts.fragment:
        raise Invalid("url: expected http://HOST[:PORT]/v1 or https://HOST[:PORT]/v1")
    if parts.username is not None or parts.password is not None:
        raise Invalid("url: holds a password; send the key as `key`, where it is kept sealed")
    if len(spec.url) > URL_CHARACTERS_MAX:
        raise Invalid(f"url: longer than {URL_CHARACTERS_MAX} characters")
    if not _MODEL.fullmatch(spec.model) or len(spec.model) > MODEL_CHARACTERS_MAX:
        raise Invalid("model: expected the name by which the engine serves it, as Qwen/Qwen3-8B")
    for name, least, most in _BOUNDS:
        value = getattr(spec, name)
        if not isinstance(value, int | float) or not least <= value <= most:
            raise Invalid(f"{name}: expected {least:g} to {most:g}")
    return spec


def routed(engines: Mapping[str, Engine], route: Sequence[str]) -> tuple[Engine, ...]:
    """In the order of the route; what it names and nobody knows is left out."""
    return tuple(engines[name] for name in route if name in engines)
