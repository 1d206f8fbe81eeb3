"""Stands between processes and a real S3 server, passes every request on as it is, and writes down what was asked.

Knows nothing of what the keys mean. The host a request was signed for is passed on, so signatures stay whole.
"""

import http.client
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from tests.seaweed import Seaweed

_HOP = ("connection", "transfer-encoding", "keep-alive")


class Call(NamedTuple):
    """Is one request: its method, its key ("" for a LIST), whether it creates or replaces, and how it was answered.

    `prefix` is that of a LIST.
    """

    method: str
    key: str
    prefix: str
    condition: str
    status: int

    @property
    def name(self) -> str:
        """Returns what S3 bills it as."""
        return "LIST" if self.method == "GET" and not self.key else self.method


@dataclass
class LoggedSeaweed:
    """Is a server whose requests are written down."""

    server: Seaweed
    calls: list[Call] = field(default_factory=list)

    def counted(self) -> Counter[str]:
        """Returns how many requests of each kind there were."""
        return Counter(call.name for call in self.calls)


@contextmanager
def logging(seaweed: Seaweed) -> Iterator[LoggedSeaweed]:
    """Serves until the block ends."""
    behind = urlsplit(seaweed.url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            connection = http.client.HTTPConnection(behind.hostname or "", behind.port, timeout=30)
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            told = answer.read()
            connection.close()
            asked = urlsplit(self.path)
            key = unquote(asked.path).split("/", 2)[2:]
            prefix = parse_qs(asked.query).get("prefix", [""])[0]
            condition = "create" if self.headers.get("if-none-match") == "*" else ""
            condition = "replace" if self.headers.get("if-match") else condition
            log.calls.append(Call(self.command, key[0] if key else "", prefix, condition, answer.status))
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in (*_HOP, "content-length", "date", "server"):
                    self.send_header(name, value)
            self.send_header("content-length", answer.getheader("content-length") or str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = _pass_on  # noqa: N815 - the library's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    log = LoggedSeaweed(replace(seaweed, url=f"http://127.0.0.1:{server.server_address[1]}"))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield log
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
