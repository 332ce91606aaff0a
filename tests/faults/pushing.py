"""Somebody who pushes documents all the while, and tries again until it is acknowledged, as clients do."""

import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from cortex.cli.gateway import Gateway, segment
from cortex.domain.errors import NotFound, Transient

SOURCE = "pushed"
PAUSE_S = 0.3
TRIES_MAX = 400


@dataclass(slots=True)
class Pushing:
    """`live` is what was acknowledged: token and readers by external id. Runs in a thread of its own."""

    gateway: Gateway
    source: random.Random
    people: tuple[str, ...]
    live: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)
    retired: list[str] = field(default_factory=list)
    refused: int = 0
    stop: threading.Event = field(default_factory=threading.Event)
    _never: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        number = 0
        while not self.stop.wait(PAUSE_S):
            number += 1
            chosen = self.source.choice(sorted(self.live)) if self.live and number % 3 == 0 else f"note-{number}"
            if chosen in self.live and self.source.random() < 0.5:
                self._delete(chosen)
            else:
                self._put(chosen, "zx" + "".join(self.source.choices("bdfgklmnp", k=14)))

    def _put(self, external: str, token: str) -> None:
        readers = frozenset(self.source.sample(self.people, 2))
        body = {
            "title": f"Pushed {external}",
            "content": f"Reference {token}. The pump in hall two was replaced by the night shift.",
            "mime": "text/plain",
            "acl": {"allow": sorted(f"user:{person}" for person in readers)},
        }
        if self._insist("PUT", external, body):
            if external in self.live:
                self.retired.append(self.live[external][0])
            self.live[external] = (token, readers)

    def _delete(self, external: str) -> None:
        if self._insist("DELETE", external, {}):
            self.retired.append(self.live.pop(external)[0])

    def _insist(self, method: str, external: str, body: Mapping[str, object]) -> bool:
        """True once acknowledged; a deletion whose answer got lost says afterwards that there is nothing."""
        path = f"/v1/sources/{SOURCE}/documents/{segment(external)}"
        for _ in range(TRIES_MAX):
            try:
                if method == "PUT":
                    self.gateway.put(path, body)
                else:
                    self.gateway.delete(path)
            except NotFound:
                return method == "DELETE"
            except Transient:
                self.refused += 1
                self._never.wait(PAUSE_S)
            else:
                return True
        raise TimeoutError(f"{method} {path} was never acknowledged")
