"""How long questions take, by stage, as the gateway tells and as the asker waits."""

import itertools
import json
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from cortex.cli.demo.company import DemoQuestion
from cortex.cli.source import mapping
from eval.local_platform import LocalPlatform

WHOLE, FIRST_TOKEN = "whole request", "first token"


@dataclass(frozen=True, slots=True)
class Spread:
    count: int
    p50_ms: float
    p95_ms: float
    max_ms: float


def spread(values_ms: Sequence[float]) -> Spread:
    ordered = sorted(values_ms)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return Spread(len(ordered), round(statistics.median(ordered), 1), round(p95, 1), round(ordered[-1], 1))


def searches(
    platform: LocalPlatform, questions: Sequence[DemoQuestion], *, count: int, pause_s: float, stop: threading.Event
) -> dict[str, Spread]:
    """Searches one after the other, `pause_s` apart, until there are `count` or `stop` is set. By stage."""
    spent_ms: dict[str, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        askers = {question.asker for question in questions}
        gateways = {asker: stack.enter_context(platform.gateway(email=asker)) for asker in askers}
        for question in itertools.islice(itertools.cycle(questions), count):
            began = time.perf_counter()
            found = gateways[question.asker].post("/v1/search", {"query": question.question})
            spent_ms[WHOLE].append((time.perf_counter() - began) * 1000)
            for stage, milliseconds in mapping(found["stages_ms"]).items():
                spent_ms[stage].append(float(str(milliseconds)))
            if stop.wait(pause_s):
                break
    return {stage: spread(values) for stage, values in spent_ms.items()}


def first_tokens(platform: LocalPlatform, questions: Sequence[DemoQuestion]) -> Spread:
    """Of a streamed answer; questions that are not answered have none."""
    spent_ms = []
    for question in questions:
        with platform.gateway(email=question.asker) as gateway:
            began = time.perf_counter()
            for kind, data in gateway.events("/v1/chat", {"question": question.question}):
                if kind == "token" and json.loads(data)["text"]:
                    spent_ms.append((time.perf_counter() - began) * 1000)
                    break
    return spread(spent_ms)
