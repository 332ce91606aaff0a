"""onnxruntime reports home unless the environment says otherwise before it is loaded."""

import subprocess
import sys

CHECK = """
import ctypes, sys
import cortex.adapters.onnx
assert "onnxruntime" not in sys.modules
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
assert getenv(b"ORT_DISABLE_TELEMETRY") == b"1"
"""


def test_the_runtime_is_told_to_keep_silent_before_it_can_be_loaded() -> None:
    subprocess.run([sys.executable, "-c", CHECK], check=True)
