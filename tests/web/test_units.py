"""The tests that stand beside the web application's code, which need no browser."""

import shutil
import subprocess

from tests.house.source_tree import ROOT

WEB = ROOT / "web"
TIMEOUT_S = 150


def test_what_stands_beside_the_code_holds() -> None:
    node = shutil.which("node") or str(ROOT / ".venv" / "bin" / "node")
    command = [node, str(WEB / "node_modules" / "vitest" / "vitest.mjs"), "run", "--reporter=dot"]
    found = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
