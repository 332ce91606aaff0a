"""The built model on onnxruntime, one text a call."""

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from cortex.adapters.onnx.package import ModelPackage
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding, StoredTokens
from cortex.domain.errors import Invalid

LITTLE_ENDIAN_FLOAT = np.dtype("<f4")

Vectors = NDArray[np.float32]


class OnnxEncoder:
    """Implements TextEncoder.

    Dynamic quantisation has one activation scale a tensor, so that a text's vectors would depend on its neighbours in a
    batch; one text at a time is repeatable to the bit and, on several threads, as fast. One session serves all threads.
    """

    def __init__(self, package: ModelPackage) -> None:
        self.model: ModelCard = package.card
        self._tokenizer = Tokenizer(package.tokenizer_path)
        # On Windows; elsewhere the package's environment has done it.
        onnxruntime.disable_telemetry_events()
        self._session = onnxruntime.InferenceSession(
            package.model_path, _session_options(), providers=["CPUExecutionProvider"]
        )

    def encode_passage(self, text: str) -> PassageEncoding:
        ids, truncated = self._ids(text)
        pooled, tokens = self._run(ids)
        return PassageEncoding(
            dense=_packed(pooled),
            stored=StoredTokens(
                token_bits=np.packbits(tokens > 0, axis=1).tobytes(),
                token_ids=tuple(ids[1:-1]),
            ),
            truncated=truncated,
        )

    def encode_query(self, text: str) -> QueryEncoding:
        ids, _ = self._ids(text)
        pooled, tokens = self._run(ids)
        return QueryEncoding(dense=_packed(pooled), token_vectors=_packed(tokens), token_ids=tuple(ids[1:-1]))

    def _ids(self, text: str) -> tuple[list[int], bool]:
        if not text.strip():
            raise Invalid("text to encode: empty")
        return self._tokenizer.encode(text, tokens_max=self.model.tokens_max)

    def _run(self, ids: list[int]) -> tuple[Vectors, Vectors]:
        """The pooled vector (d) and the token vectors (n, d), without those of the two special tokens at the ends."""
        pooled, tokens = self._session.run(["pooled", "tokens"], {"input_ids": np.array([ids], np.int64)})
        return pooled[0], tokens[0, 1:-1]


def _session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return options


def _packed(vectors: Vectors) -> bytes:
    return vectors.astype(LITTLE_ENDIAN_FLOAT, copy=False).tobytes()
