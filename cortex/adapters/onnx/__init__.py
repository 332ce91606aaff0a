"""The local encoder: a BERT graph in int8 on onnxruntime, built from published weights, and its tokenizer."""

import ctypes
import os

# onnxruntime reports home from the moment it is loaded, on Linux too, and asks no argument but the environment. Hence
# here, before any module of this package can load it.
if os.name == "posix":
    ctypes.CDLL(None).setenv(b"ORT_DISABLE_TELEMETRY", b"1", 1)
