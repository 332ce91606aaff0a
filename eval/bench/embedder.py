"""The embedder alone, on the chunks that the pipeline has just made: what the ingest is compared with."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg

from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.package import verify
from cortex.domain.chunk import embedded_text
from services.embed.settings import SchedulerSettings

WARM_UP = 20
_CHUNKS = (
    "SELECT d.title, c.heading_path, c.text FROM chunks c"
    " JOIN documents d ON d.tenant_id = c.tenant_id AND d.id = c.document_id"
    " JOIN sources s ON s.tenant_id = d.tenant_id AND s.id = d.source_id WHERE s.name = %s ORDER BY c.embedded_sha256"
)


def embedded_texts(admin_url: str, source: str) -> list[str]:
    """Each text once, as the pipeline embeds it once."""
    with psycopg.connect(admin_url) as connection:
        rows = connection.execute(_CHUNKS, (source,)).fetchall()
    return list(dict.fromkeys(embedded_text(title, tuple(headings), text) for title, headings, text in rows))


def chunks_per_s(models: Path, texts: Sequence[str]) -> float:
    """With as many threads as the embed gateway has."""
    encoder = OnnxEncoder(verify(models))
    with ThreadPoolExecutor(SchedulerSettings().workers) as threads:
        list(threads.map(encoder.encode_passage, texts[:WARM_UP]))
        began = time.perf_counter()
        for _ in threads.map(encoder.encode_passage, texts):
            pass
        return len(texts) / (time.perf_counter() - began)
