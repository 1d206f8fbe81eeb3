"""A small model's service on loopback, as a real server of both dialects, that does what its plans say.

The dialect is that of the path asked for. Without a plan `answer` makes the text of the answer from the words asked.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paramecium.messages import Json

KEY = "sk-small-loopback-0123456789"
Plan = Callable[["Asked"], None]


class Asked(BaseHTTPRequestHandler):
    """Is one request; plans answer with its methods."""

    protocol_version = "HTTP/1.1"
    service: "FakeSmall"
    body: Json

    @property
    def is_anthropic(self) -> bool:
        """Tells the dialect."""
        return self.path.endswith("/messages")

    @property
    def words(self) -> str:
        """Returns the words that were asked."""
        said: str = self.body["messages"][-1]["content"]
        return said

    def reply(self, status: int, body: bytes, *, content_type: str = "application/json", promised: int = 0) -> None:
        """Answers; with `promised` more bytes are announced than come."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(promised or len(body)))
            self.end_headers()
            self.wfile.write(body)
        if promised:
            self.close_connection = True

    def do_POST(self) -> None:
        """Answers by the next plan."""
        self.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.service.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, self.body))
        self.service.connections.add(self.client_address)
        plan = self.service.plans.pop(0) if self.service.plans else says(self.service.answer(self.words))
        plan(self)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Says nothing."""


def document(is_anthropic: bool, text: Any, stop: str = "") -> Json:
    """Returns a whole answer of one of the two dialects."""
    if is_anthropic:
        content = [{"type": "text", "text": text}] if isinstance(text, str) else text
        usage = {"input_tokens": 7, "output_tokens": 5, "service_tier": "standard"}
        return {"type": "message", "model": "claude-s", "content": content, "stop_reason": stop or "end_turn"} | {
            "usage": usage
        }
    message = {"role": "assistant", "content": text, "reasoning_content": "想一想", "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": stop or "stop", "logprobs": None}
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    return {"object": "chat.completion", "model": "small-s", "choices": [choice], "usage": usage}


def says(text: Any, stop: str = "") -> Plan:
    """Answers with text, or with what stands in its place."""
    return lambda asked: asked.reply(200, json.dumps(document(asked.is_anthropic, text, stop)).encode())


def sends(status: int, body: Any, **more: Any) -> Plan:
    """Answers with a status and a body: bytes, or a value as JSON."""
    return lambda asked: asked.reply(status, body if isinstance(body, bytes) else json.dumps(body).encode(), **more)


def repeats(status: int, kind: str = "invalid_request_error") -> Plan:
    """Refuses as a careless service does, whose sentence repeats the key and the words."""

    def plan(asked: Asked) -> None:
        said = f"no: {KEY} {asked.words} {asked.headers['authorization']}"
        asked.reply(status, json.dumps({"error": {"type": kind, "message": said}}).encode())

    return plan


def breaks_off(text: str) -> Plan:
    """Sends half of an answer and hangs up."""

    def plan(asked: Asked) -> None:
        body = json.dumps(document(asked.is_anthropic, text)).encode()
        asked.reply(200, body[: len(body) // 2], promised=len(body))

    return plan


def falls_silent(asked: Asked) -> None:
    """Sends nothing until the service ends."""
    asked.service.ended.wait()
    asked.close_connection = True


def drips(asked: Asked) -> None:
    """Sends blank after blank, for ever: each in time, the whole never."""
    asked.send_response(200)
    asked.send_header("content-length", "100000")
    asked.end_headers()
    with suppress(OSError):
        while not asked.service.ended.wait(0.02):
            asked.wfile.write(b" ")
    asked.close_connection = True


class FakeSmall:
    """Is the running service."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.plans: list[Plan] = []
        self.answer: Callable[[str], str] = lambda _: "[]"
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.connections: set[Any] = set()
        self.ended = threading.Event()

    def config(self, kind: str = "openai", calls_per_day: int = 500) -> str:
        """Returns a configuration whose small model is here."""
        base_url = self.url if kind == "anthropic" else f"{self.url}/v1"
        return (
            '[[accounts]]\nname = "parrot"\nkind = "parrot"\nmodels = ["parrot"]\n'
            f'[[accounts]]\nname = "s"\nkind = "{kind}"\nbase_url = "{base_url}"\napi_key = "{KEY}"\n'
            'models = ["small-s"]\n[small_model]\naccount = "s"\nmodel = "small-s"\n'
            f"calls_per_day = {calls_per_day}\n"
        )


@contextmanager
def serving() -> Iterator[FakeSmall]:
    """Serves until the block ends."""

    class Handler(Asked):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    service = Handler.service = FakeSmall(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
