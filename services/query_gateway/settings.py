"""Bounds of the hot path, each by name."""

from dataclasses import dataclass
from pathlib import Path

from cortex.runtime.edge.settings import EdgeSettings


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Architecture sections 4 and 7. Candidates count documents that were re-checked.

    `cross_documents` is how many of the best a cross-encoder reads, where one is configured; 0 without.
    """

    arm_limit: int = 100
    deep_arm_limit: int = 300
    pool_max: int = 400
    candidates_max: int = 400
    batch: int = 32
    encode_timeout_s: float = 2.0
    search_timeout_s: float = 5.0
    rerank_timeout_s: float = 1.0
    permission_timeout_s: float = 2.0
    cross_documents: int = 0
    cross_timeout_s: float = 2.0


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How much an answer may rest on, and how its stream behaves."""

    documents_max: int = 12
    passages_per_document: int = 3
    context_characters: int = 24_000
    recheck_after_s: float = 5.0
    heartbeat_s: float = 15.0
    grace_s: float = 30.0
    generation_timeout_s: float = 120.0
    slow_reader_s: float = 30.0
    running_max: int = 200
    events_max: int = 1_000
    follow_poll_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Settings(EdgeSettings):
    """`public_url` is where browsers find us; addresses of shares begin with it.

    `web_folder` holds the built browser application; None: none is served.
    """

    web_folder: Path | None = None
    public_url: str = ""
    probe_timeout_s: float = 2.0
    retrieval: RetrievalSettings = RetrievalSettings()
    answer: AnswerSettings = AnswerSettings()
