"""`cortex eval retrieval`, all but its options."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from cortex.domain.errors import Invalid
from cortex.domain.query import Mode
from eval.retrieval.ask import DEPTH
from eval.retrieval.evaluate import evaluate
from eval.retrieval.keep import keep
from eval.retrieval.platforms import own, running
from eval.retrieval_sets import read


async def run(
    folder: Path,
    *,
    mode: str,
    limit: int | None,
    platform: Path,
    out: Path | None,
    environment: Mapping[str, str],
    observe: Callable[[str], None],
) -> dict[str, object]:
    """The figures of one set in one mode. Raises Invalid for a set that is none, and for an unknown mode."""
    if mode not in list(Mode):
        raise Invalid(f"mode {mode!r}: use one of {', '.join(Mode)}")
    retrieval = read(folder)
    if limit is not None:
        retrieval = retrieval.first(limit)
    async with AsyncExitStack() as stack:
        site = running(platform)
        if site is None:
            observe("no platform runs here: starting one of its own")
            site = await stack.enter_async_context(own(environment))
        (outcome,) = await asyncio.to_thread(evaluate, site, retrieval, depths={mode: DEPTH}, observe=observe)
    if out is not None:
        keep(out, [outcome])
        observe(f"kept in {out}")
    return outcome.figures()
