"""A language model as evaluation asks it: the operator's engines by name, whole answers, JSON read strictly."""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cortex.adapters.egress import EgressPolicy
from cortex.adapters.engines_file import read_engines
from cortex.adapters.openai_http import OpenAiWriter, engine_client
from cortex.domain.engine import Engine
from cortex.domain.errors import Invalid
from cortex.ports.engine import Message, Writer
from cortex.ports.generator import Usage

ENGINES_FILE = "CORTEX_ENGINES_FILE"
_FENCE = re.compile(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Drafting:
    writer: Writer
    engine: Engine


def configured(environment: Mapping[str, str]) -> tuple[Engine, ...]:
    path = environment.get(ENGINES_FILE)
    return read_engines(Path(path) if path else None)


def named(environment: Mapping[str, str], name: str) -> Engine:
    """Raises Invalid that says which there are."""
    engines = {engine.spec.name: engine for engine in configured(environment)}
    if name not in engines:
        there = ", ".join(engines) if engines else "there is none"
        raise Invalid(f"engine {name!r} is not in {ENGINES_FILE}: {there}")
    return engines[name]


@asynccontextmanager
async def opened(engine: Engine) -> AsyncIterator[Drafting]:
    """Reaches that engine and nothing else."""
    async with engine_client(EgressPolicy.parsed([engine.spec.host])) as client:
        yield Drafting(OpenAiWriter(client), engine)


async def written(drafting: Drafting, messages: Sequence[Message]) -> tuple[str, int]:
    """The whole text, and the tokens that it took where the engine tells. Raises what `Writer.write` does."""
    pieces, tokens = [], 0
    async with aclosing(drafting.writer.write(drafting.engine, messages)) as stream:
        async for piece in stream:
            if isinstance(piece, Usage):
                tokens += piece.prompt_tokens + piece.completion_tokens
            else:
                pieces.append(piece)
    return "".join(pieces), tokens


def json_object(text: str) -> dict[str, object] | None:
    """None for whatever is not one JSON object, by itself or in a fence."""
    plain = text.strip()
    fenced = _FENCE.match(plain)
    try:
        found = json.loads(fenced[1] if fenced else plain)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
