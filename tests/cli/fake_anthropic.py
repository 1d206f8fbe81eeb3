"""A model's service on loopback, as a real server: each request is answered by the next plan of its queue.

Knows the wire of the Messages API as far as a turn goes; keeps every request it got.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paramecium.messages import Json
from tests.upstream.fakes_wire import block, end, sse, start, text

KEY = "sk-ant-loopback-0123456789"
Piece = bytes | Callable[[], object]
Plan = tuple[int, Sequence[Piece]]


def says(*words: str) -> Plan:
    """Answers with text."""
    return 200, [sse(start(input_tokens=3), *text(0, *words), *end(output_tokens=2))]


def recalls(query: str) -> Plan:
    """Answers with a call of `recall`."""
    call: Json = {"type": "tool_use", "id": "toolu_1", "name": "recall", "input": {}}
    delta: Json = {"type": "input_json_delta", "partial_json": json.dumps({"query": query}, ensure_ascii=False)}
    return 200, [sse(start(input_tokens=3), *block(0, call, delta), *end("tool_use", output_tokens=2))]


def refuses(status: int, kind: str) -> Plan:
    """Answers with a status and the service's own words, in which a careless service repeats the key."""
    error = {"type": "error", "error": {"type": kind, "message": f"no: {KEY}"}}
    return status, [json.dumps(error).encode()]


def breaks_off(*words: str) -> Plan:
    """Answers with the beginning of a text, and ends the stream without its terminal marker."""
    return 200, [sse(start(input_tokens=3), *text(0, *words)[:-1])]


def falls_silent(*words: str) -> Plan:
    """Answers with the beginning of a text, then with nothing for as long as the other side waits."""
    return 200, [sse(start(input_tokens=3), *text(0, *words)[:-1]), threading.Event().wait]


class FakeAnthropic:
    """Is the running service."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.plans: list[Plan] = []
        self.requests: list[tuple[dict[str, str], Any]] = []

    @property
    def environment(self) -> dict[str, str]:
        """Returns the variables that point a process here."""
        return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.url}

    def config(self, **more: Any) -> str:
        """Returns a configuration that points here."""
        lines = [f"{name} = {json.dumps(value)}" for name, value in more.items()]
        lines += ["[[accounts]]", 'name = "a"', 'kind = "anthropic"', f'base_url = "{self.url}"']
        return "\n".join([*lines, f'api_key = "{KEY}"', 'models = ["claude-x"]', ""])


@contextmanager
def serving() -> Iterator[FakeAnthropic]:
    """Serves until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            service.requests.append((dict(self.headers.items()), body))
            status, pieces = service.plans.pop(0)
            self.send_response(status)
            self.send_header("content-type", "text/event-stream" if status == 200 else "application/json")
            self.end_headers()
            for piece in pieces:
                if callable(piece):
                    piece()
                else:
                    self.wfile.write(piece)
                    self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    service = FakeAnthropic(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
