"""Merges one walk with what is stored: what to read, what is as before, and what is gone. Decides, and does nothing."""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

from cortex.ports.source_writer import Known
from services.connectors.sources.files.walk import File, Folder, Left, Step, Unread, order


@dataclass(frozen=True, slots=True)
class Read:
    """A file that is new or may have changed; `stored` is what was there before."""

    file: File
    stored: Known | None

    @property
    def position(self) -> str:
        return self.file.position


@dataclass(frozen=True, slots=True)
class Same:
    position: str


@dataclass(frozen=True, slots=True)
class Gone:
    position: str


Decision = Folder | Left | Unread | Read | Same | Gone


async def merged(
    steps: Iterable[Step], known: AsyncIterator[Known], *, is_same: Callable[[File, Known], bool]
) -> AsyncIterator[Decision]:
    """Both must be in the order of their UTF-8 bytes and cover the same range.

    What is stored under a step that `keeps` is passed over: it could not be read, so it is not known to be gone.
    """
    kept: str | None = None
    stored = await anext(known, None)
    for step in steps:
        while stored is not None and _passed(stored, step):
            if kept is None or not stored.external_id.startswith(kept):
                yield Gone(stored.external_id)
            stored = await anext(known, None)
        match: Known | None = None
        if stored is not None and stored.external_id == step.position:
            match, stored = stored, await anext(known, None)
        if isinstance(step, File):
            yield Same(step.position) if match and is_same(step, match) else Read(step, match)
            continue
        if isinstance(step, Unread) and step.keeps:
            kept = step.position if step.position.endswith("/") else kept
        elif match is not None:
            yield Gone(match.external_id)
        yield step
    while stored is not None:
        if kept is None or not stored.external_id.startswith(kept):
            yield Gone(stored.external_id)
        stored = await anext(known, None)


def _passed(stored: Known, step: Step) -> bool:
    """Whether the walk would have met `stored` before `step`, were it still there."""
    if isinstance(step, Left):
        return stored.external_id.startswith(step.position)
    return order(stored.external_id) < order(step.position)
