"""The local encoder, built once for all tests of a run from the installed package of weights."""

import tempfile
from functools import cache
from pathlib import Path

from cortex.adapters.onnx.build import build
from cortex.adapters.onnx.package import ModelPackage


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Removed when the run ends."""
    return tempfile.TemporaryDirectory(prefix="cortex-test-models-", ignore_cleanup_errors=True)


@cache
def built_model() -> ModelPackage:
    return build(Path(_folder().name))
