"""Limits of one document and of the child processes that parse it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What one document may cost. `zip_*` concern DOCX, whose parts are inflated."""

    bytes_max: int = 64 * 1024 * 1024
    characters_max: int = 5_000_000
    blocks_max: int = 100_000
    pages_max: int = 2_000
    depth_max: int = 200
    parts_max: int = 1_000
    zip_entries_max: int = 5_000
    zip_ratio_max: int = 200
    zip_bytes_max: int = 128 * 1024 * 1024
    table_rows_per_block: int = 20
    block_characters: int = 4_000


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """`memory_bytes_max` bounds a child's address space, which holds some 100 MB of code before any document.

    A child whose resident memory has been above `memory_bytes_kept` is replaced after that document.
    """

    processes: int = 2
    wall_s: float = 60.0
    cpu_s: int = 30
    memory_bytes_max: int = 768 * 1024 * 1024
    memory_bytes_kept: int = 200 * 1024 * 1024
    documents_per_child: int = 500
    start_s: float = 20.0


@dataclass(frozen=True, slots=True)
class ParseSettings:
    limits: ParseLimits = field(default_factory=ParseLimits)
    pool: PoolSettings = field(default_factory=PoolSettings)
