"""Blocks to chunks: by heading and paragraph, within the embedder's window."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from cortex.domain.chunk import Chunk, Span, embedded_text
from cortex.domain.document import Block
from cortex.ports.token_counter import TokenCounter
from services.chunk.cut import cut
from services.chunk.sections import Section, sections
from services.chunk.settings import ChunkLimits

# Headings this high part chunks; deeper ones only where what stands below them is not small.
PARTING_LEVEL = 2
PASSAGE_TOKENS_MIN = 8


def chunk(
    title: str,
    blocks: Sequence[Block],
    *,
    counter: TokenCounter,
    language_of: Callable[[str], str],
    limits: ChunkLimits,
) -> tuple[Chunk, ...]:
    """Pure and deterministic; every block is counted once, every chunk once.

    A chunk's text is the join of its spans by newlines. All text but white space between parts of a cut block is in
    some chunk; headings are in the heading path, or in the text where a chunk joins several sections. Only parts of one
    block overlap.
    """
    chunker = _Chunker(title, blocks, counter, limits)
    chunks: list[Chunk] = []
    for passage in chunker.passages():
        tokens = chunker.tokens(passage)
        language = language_of(passage.text)
        chunks.append(Chunk(len(chunks), passage.text, passage.spans, passage.path, language, tokens))
    return tuple(chunks)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block, or a part of one, with its cost in tokens."""

    block: Block
    start: int
    end: int
    cost: int


@dataclass(frozen=True, slots=True)
class _Measured:
    """A section with its pieces and what they cost together."""

    section: Section
    pieces: tuple[_Piece, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class _Passage:
    """A chunk to be: consecutive pieces under one heading path."""

    pieces: tuple[_Piece, ...]
    path: tuple[str, ...]
    spans: tuple[Span, ...]
    text: str


class _Chunker:
    def __init__(self, title: str, blocks: Sequence[Block], counter: TokenCounter, limits: ChunkLimits) -> None:
        self._title = title
        self._blocks = blocks
        self._counter = counter
        self._limits = limits

    def passages(self) -> Iterator[_Passage]:
        for group in self._grouped():
            for passage in self._packed(group):
                yield from self._within_limit(passage)

    def tokens(self, passage: _Passage) -> int:
        return self._embedded_tokens(passage.path, passage.text)

    def _grouped(self) -> Iterator[list[_Measured]]:
        """Runs of sections that become one chunk each, and sections that stay alone."""
        group: list[_Measured] = []
        for section in sections(self._blocks):
            pieces = tuple(self._whole(block) for block in section.blocks)
            measured = _Measured(section, pieces, sum(piece.cost for piece in pieces))
            if group and not self._may_join(group, measured):
                yield group
                group = []
            group.append(measured)
        if group:
            yield group

    def _may_join(self, group: list[_Measured], following: _Measured) -> bool:
        """Small sections below one heading may; across a heading that parts, only where both sides are tiny."""
        before = sum(measured.cost for measured in group)
        headings = sum(self._cost(block.text) for block in _inner_headings([*group, following]))
        if before + following.cost + headings > self._limits.target_tokens:
            return False
        tiny = self._limits.tiny_tokens
        return following.section.level > PARTING_LEVEL or (before < tiny and following.cost < tiny)

    def _packed(self, group: list[_Measured]) -> Iterator[_Passage]:
        path = self._bounded_path([block.text for block in _common_path(group)])
        room = self._limits.tokens_max - self._embedded_tokens(path, "")
        room = max(room, PASSAGE_TOKENS_MIN)
        target = min(self._limits.target_tokens, room)
        full: list[list[_Piece]] = [[]]
        for piece in self._cut_to_fit(self._with_inner_headings(group), room, target):
            if full[-1] and _cost_of(full[-1]) + piece.cost > target:
                full.append([])
            full[-1].append(piece)
        if len(full) > 1 and _cost_of(full[-1]) < self._limits.tiny_tokens:
            joined = full[-2] + full[-1]
            full[-2:] = [joined] if _cost_of(joined) <= room else full[-2:]
        for pieces in full:
            if pieces:
                yield _passage(pieces, path)

    def _with_inner_headings(self, group: list[_Measured]) -> Iterator[_Piece]:
        """The pieces, each section's behind those of its headings that the common path lacks and that are new."""
        shown = {block.block_id for block in _common_path(group)}
        for measured in group:
            for block in measured.section.path:
                if block.block_id not in shown:
                    shown.add(block.block_id)
                    yield self._whole(block)
            yield from measured.pieces

    def _cut_to_fit(self, pieces: Iterator[_Piece], room: int, target: int) -> Iterator[_Piece]:
        for piece in pieces:
            if piece.cost <= room:
                yield piece
            else:
                yield from self._cut(piece, target)

    def _cut(self, piece: _Piece, size: int) -> Iterator[_Piece]:
        parts = cut(
            piece.block.text[piece.start : piece.end],
            piece.block.kind,
            counter=self._counter,
            size=size,
            overlap=min(self._limits.overlap_tokens, size // 4),
            token_characters=self._limits.token_characters,
        )
        for part in parts:
            cost = max(part.tokens, self._characters_cost(part.end - part.start))
            yield _Piece(piece.block, piece.start + part.start, piece.start + part.end, cost)

    def _within_limit(self, passage: _Passage) -> Iterator[_Passage]:
        """Costs add up but for what tokenizers do across joins; where that matters, halves until all fits."""
        waiting = [passage]
        while waiting:
            passage = waiting.pop()
            cost = _cost_of(passage.pieces)
            if self.tokens(passage) <= self._limits.tokens_max or cost <= PASSAGE_TOKENS_MIN:
                yield passage
                continue
            pieces = passage.pieces
            if len(pieces) > 1:
                halves = [pieces[: len(pieces) // 2], pieces[len(pieces) // 2 :]]
            else:
                halves = [(part,) for part in self._cut(pieces[0], max(1, cost // 2))]
            if len(halves) < 2:
                yield passage
                continue
            waiting.extend(_passage(half, passage.path) for half in reversed(halves))

    def _bounded_path(self, headings: list[str]) -> tuple[str, ...]:
        """At most half the window, with the title: the outermost headings go first, then the last one is cut short."""
        bound = self._limits.tokens_max // 2
        while headings and self._embedded_tokens(tuple(headings), "") > bound:
            if len(headings) > 1:
                headings = headings[1:]
            elif len(headings[0]) > 1:
                headings = [headings[0][: len(headings[0]) // 2]]
            else:
                headings = []
        return tuple(headings)

    def _whole(self, block: Block) -> _Piece:
        return _Piece(block, 0, len(block.text), self._cost(block.text))

    def _cost(self, text: str) -> int:
        return max(self._counter.count(text), self._characters_cost(len(text)))

    def _characters_cost(self, characters: int) -> int:
        return -(-characters // self._limits.token_characters)

    def _embedded_tokens(self, path: tuple[str, ...], text: str) -> int:
        return self._counter.special_tokens + self._counter.count(embedded_text(self._title, path, text))


def _passage(pieces: Sequence[_Piece], path: tuple[str, ...]) -> _Passage:
    """Neighbouring parts of one block become one span, so that an overlap within a chunk is not repeated."""
    spans: list[Span] = []
    texts: list[str] = []
    for piece in pieces:
        start = piece.start
        if spans and spans[-1].block_id == piece.block.block_id:
            start = spans.pop().start
            texts.pop()
        spans.append(Span(piece.block.block_id, start, piece.end))
        texts.append(piece.block.text[start : piece.end])
    return _Passage(tuple(pieces), path, tuple(spans), "\n".join(texts))


def _cost_of(pieces: Sequence[_Piece]) -> int:
    return sum(piece.cost for piece in pieces)


def _common_path(group: Sequence[_Measured]) -> list[Block]:
    paths = [measured.section.path for measured in group]
    shared = takewhile(lambda level: all(block is level[0] for block in level), zip(*paths, strict=False))
    return [level[0] for level in shared]


def _inner_headings(group: Sequence[_Measured]) -> list[Block]:
    """Those that are in some section's path but not in all."""
    common = len(_common_path(group))
    found = {block.block_id: block for measured in group for block in measured.section.path[common:]}
    return list(found.values())
