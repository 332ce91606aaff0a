"""txtai: its hybrid of BM25 and dense vectors, as it comes. `python txtai_search.py TEXTS.json MODEL_FOLDER`"""

import json
import sys
import time
from pathlib import Path

from txtai import Embeddings

DEPTH = 100


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # Loading the model belongs to nobody's ingestion.
    embeddings = Embeddings(path=sys.argv[2], hybrid=True)
    embeddings.batchtransform(["warm up"])
    began = time.perf_counter()
    embeddings.index((name, text, None) for name, text in given["passages"].items())
    ingest_s = time.perf_counter() - began
    embeddings.search("warm up", 1)
    rankings, spent_ms = {}, []
    for question, text in given["questions"].items():
        began = time.perf_counter()
        rankings[question] = [name for name, _ in embeddings.search(text, DEPTH)]
        spent_ms.append((time.perf_counter() - began) * 1000)
    print(json.dumps({"ingest_s": ingest_s, "spent_ms": spent_ms, "rankings": rankings}))


if __name__ == "__main__":
    main()
