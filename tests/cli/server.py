"""Starts `paramecium serve` as a process and speaks with it."""

import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from paramecium import clock
from tests.cli.process import started, until
from tests.functions.gateway.sse_reader import read_all

END_WITHIN_S = 5.0


class Server:
    """Is a running server: its address, its token, the folder it stands in, and what it told on standard error."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until("the server told its token", lambda: "\ntoken: " in self.told or process.poll() is not None, 60)
        self.url = re.findall(r"http://\S+", self.told)[0]
        self.token = re.findall(r"token: (\S+)", self.told)[0]
        headers = {"authorization": f"Bearer {self.token}"}
        self.client = httpx.Client(base_url=self.url, headers=headers, timeout=20, trust_env=False)

    @property
    def told(self) -> str:
        """Returns standard error so far."""
        return "\n".join(self.lines)

    def chat(self, message: str, **more: Any) -> list[tuple[str, Any]]:
        """Returns the events of one turn."""
        answer = self.client.post("/api/chat", json={"message": message, **more})
        assert answer.status_code == 200, answer.text
        return read_all(answer.content)

    def recall(self, query: str, **more: Any) -> list[str]:
        """Returns the texts of the windows found."""
        answer = self.client.post("/api/recall", json={"query": query, **more})
        assert answer.status_code == 200, answer.text
        return [w["text"] for w in answer.json()["windows"]]

    def end(self, sig: int = signal.SIGTERM) -> float:
        """Ends the server by a signal and returns how many seconds it took; fails after 5."""
        began_s = clock.monotonic_s()
        self.process.send_signal(sig)
        self.process.wait(END_WITHIN_S)
        self._reader.join(END_WITHIN_S)
        return clock.monotonic_s() - began_s

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.decode("utf-8").removesuffix("\n"))


@contextmanager
def serving(
    *options: str | Path, cwd: Path, before: tuple[str | Path, ...] = (), env: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serves at a free port, in the folder `cwd`, until the block ends; `before` are global options."""
    with started(*before, "serve", "--port", "0", *options, cwd=cwd, env=env) as process:
        server = Server(process, cwd)
        try:
            yield server
        finally:
            server.client.close()


def said(events: list[tuple[str, Any]]) -> str:
    """Returns the text of a turn's events."""
    return "".join(data["text"] for name, data in events if name == "text")
