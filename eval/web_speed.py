"""`python -m eval.web_speed`: how quick the built web application is in Chromium, apart from the gateway.

A server of this script's own hands out `web/dist` and an answer of 2,000 words, word by word, so that the figures are
those of the page: until one can type, from a word's arrival to its being painted, and the longest task meanwhile.
"""

import json
import mimetypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page

from tests.web.browser import browser

DIST = Path(__file__).parents[1] / "web" / "dist"
WORDS, SENTENCE, PAUSE_S, ROUNDS = 2_000, 20, 0.02, 5
INTERACTIVE_MS_MAX, PAINT_MS_MAX, TASK_MS_MAX = 1_500, 50, 100
ID = "00000000-0000-4000-8000-00000000000{}"
SESSION = {"person_id": ID.format(1), "email": "ann@acme.example", "role": "member", "scopes": [], "csrf_token": "x"}
ANSWERS: dict[str, object] = {
    "/auth/session": SESSION,
    "/auth/ways": {"choose": False, "token": True, "provider": False},
    "/v1/sources": {"items": []},
    "/v1/conversations": {"items": [], "next_cursor": None},
}
# Notes when a token arrives, when the next frame after it is drawn, and tasks that keep the page from answering.
PROBE = """
window.cortexSpeed = {arrived: 0, painted: 0, longest: 0};
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) cortexSpeed.longest = Math.max(cortexSpeed.longest, task.duration);
}).observe({type: "longtask"});
const read = ReadableStreamDefaultReader.prototype.read;
ReadableStreamDefaultReader.prototype.read = async function (...given) {
  const found = await read.apply(this, given);
  if (!cortexSpeed.arrived && typeof found.value === "string" && found.value.includes("event: token"))
    cortexSpeed.arrived = performance.now();
  return found;
};
new MutationObserver(() => {
  if (!cortexSpeed.arrived || cortexSpeed.painted || !document.body?.innerText.includes("word0")) return;
  requestAnimationFrame(() => (cortexSpeed.painted ||= performance.now()));
}).observe(document, {childList: true, subtree: true, characterData: true});
"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path in ANSWERS:
            self._send(json.dumps(ANSWERS[path]).encode(), "application/json")
            return
        file = DIST / path.lstrip("/")
        known = file if path != "/" and file.is_file() else DIST / "index.html"
        self._send(known.read_bytes(), mimetypes.guess_type(known.name)[0] or "text/plain")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number, (kind, body) in enumerate(_events(), start=1):
            self.wfile.write(f"id: {number}\nevent: {kind}\ndata: {json.dumps(body)}\n\n".encode())
            time.sleep(PAUSE_S)

    def log_message(self, *_given: object) -> None:
        """Nothing: the figures are what is printed."""

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _events() -> Iterator[tuple[str, object]]:
    yield "meta", {"answer_id": ID.format(2), "conversation_id": ID.format(3), "trace_id": "t"}
    yield "sources", []
    for first in range(0, WORDS, SENTENCE):
        words = " ".join(f"word{n}" for n in range(first, first + SENTENCE))
        gap = "\n\n" if first % (5 * SENTENCE) == 0 and first else " "
        yield "token", {"text": f"{gap}{words}.", "sources": []}
    yield "done", {"abstained": False, "reason": None, "citations": 0, "unsupported_dropped": 0, "degraded": []}


@contextmanager
def _serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()


def measured(page: Page, url: str) -> dict[str, float]:
    """In milliseconds."""
    page.add_init_script(PROBE)
    page.goto(url, wait_until="commit")
    page.get_by_label("Your question").wait_for()
    interactive = float(page.evaluate("performance.now()"))
    page.evaluate("cortexSpeed.longest = 0")
    page.get_by_label("Your question").fill("How quick?")
    page.get_by_label("Your question").press("Enter")
    page.get_by_role("button", name="Ask again").wait_for(timeout=60_000)
    found = page.evaluate("cortexSpeed")
    return {
        "interactive_ms": round(interactive),
        "first_token_painted_ms": round(found["painted"] - found["arrived"], 1),
        "longest_task_ms": round(found["longest"]),
    }


def main() -> None:
    with browser() as found, _serving() as url:
        rounds = []
        for _ in range(ROUNDS):
            context = found.new_context(locale="en-GB")
            rounds.append(measured(context.new_page(), url))
            context.close()
    middle = {name: sorted(one[name] for one in rounds)[ROUNDS // 2] for name in rounds[0]}
    limits = {
        "interactive_ms": INTERACTIVE_MS_MAX,
        "first_token_painted_ms": PAINT_MS_MAX,
        "longest_task_ms": TASK_MS_MAX,
    }
    print(json.dumps({"median": middle, "limits": limits, "rounds": rounds}, indent=1))


if __name__ == "__main__":
    main()
