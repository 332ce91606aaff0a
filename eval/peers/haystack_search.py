"""Haystack: BM25 and dense vectors in memory, joined by reciprocal ranks. Takes what `txtai_search` takes."""

import json
import sys
import time
from pathlib import Path

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)

DEPTH = 100


def asking(store: InMemoryDocumentStore, model: str) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("embedder", SentenceTransformersTextEmbedder(model=model, progress_bar=False))
    pipeline.add_component("dense", InMemoryEmbeddingRetriever(store, top_k=DEPTH))
    pipeline.add_component("terms", InMemoryBM25Retriever(store, top_k=DEPTH))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=DEPTH))
    pipeline.connect("embedder.embedding", "dense.query_embedding")
    pipeline.connect("dense", "joiner")
    pipeline.connect("terms", "joiner")
    return pipeline


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    embedder = SentenceTransformersDocumentEmbedder(model=sys.argv[2], progress_bar=False)
    embedder.run([Document(content="warm up")])
    documents = [Document(id=name, content=text) for name, text in given["passages"].items()]
    began = time.perf_counter()
    store.write_documents(embedder.run(documents)["documents"])
    ingest_s = time.perf_counter() - began
    pipeline = asking(store, sys.argv[2])
    pipeline.run({"embedder": {"text": "warm up"}, "terms": {"query": "warm up"}})
    rankings, spent_ms = {}, []
    for question, text in given["questions"].items():
        began = time.perf_counter()
        found = pipeline.run({"embedder": {"text": text}, "terms": {"query": text}})
        rankings[question] = [document.id for document in found["joiner"]["documents"]]
        spent_ms.append((time.perf_counter() - began) * 1000)
    print(json.dumps({"ingest_s": ingest_s, "spent_ms": spent_ms, "rankings": rankings}))


if __name__ == "__main__":
    main()
