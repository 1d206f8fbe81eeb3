"""Processes of their own: the command line, the gateway as `serve` starts it, and the fake service behind it.

Invariant: whatever is started here is ended here, and takes no setting from the environment it is started in but the
model's folder.
"""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evals.bench.measure import ROOT
from paramecium.messages import Json, dump_json, load_json

TOKEN: Final = "a-token-of-the-bench-that-guards-nothing"  # noqa: S105 (guards a server of this run only)
PLAIN_TOKEN: Final = "another-token-of-the-bench-without-memory"  # noqa: S105
MODEL: Final = "once"
FLOOD: Final = "flood"
START_TIMEOUT_S: Final = 120.0
STOP_TIMEOUT_S: Final = 10.0
_TRY_EVERY_S = 0.002
_OK = 200

_CONFIG = """person = "林夏"
ai = "小满"
token = "{token}"
[[clients]]
name = "plain"
token = "{plain}"
memory = false
[[accounts]]
name = "fake"
kind = "anthropic"
base_url = "{upstream}"
api_key = "none"
models = ["{once}", "{flood}"]
"""


@dataclass(frozen=True, slots=True)
class Server:
    """Is a running gateway; `healthy_s` is how long it took from the start of its process to 200 of /healthz."""

    port: int
    pid: int
    began_s: float
    healthy_s: float

    @property
    def url(self) -> str:
        """Returns its address."""
        return f"http://127.0.0.1:{self.port}"


def environment() -> dict[str, str]:
    """Returns the environment of a child: ours without settings and proxies, finding the code of this checkout."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "PYTHONSTARTUP", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in dropped
        and not name.lower().endswith("_proxy")
        and (not name.startswith("PARAMECIUM_") or name == "PARAMECIUM_MODEL")
    }
    return kept | {"PYTHONPATH": os.pathsep.join((str(ROOT / "shared"), str(ROOT)))}


def write_config(path: Path, upstream: str = "http://127.0.0.1:9") -> Path:
    """Writes the configuration of the bench and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(
        _CONFIG.format(token=TOKEN, plain=PLAIN_TOKEN, upstream=upstream, once=MODEL, flood=FLOOD), encoding="utf-8"
    )
    return path


def command(data: Path, config: Path, *arguments: str) -> list[str]:
    """Returns the command line of `paramecium` over a folder."""
    return [sys.executable, "-m", "paramecium", "--data", str(data), "--config", str(config), *arguments]


def run(data: Path, config: Path, *arguments: str) -> bytes:
    """Runs a command to its end and returns its standard output; raises CalledProcessError."""
    done = subprocess.run(
        command(data, config, *arguments), env=environment(), check=True, capture_output=True, timeout=START_TIMEOUT_S
    )
    return done.stdout


@contextmanager
def serving(data: Path, config: Path, *options: str) -> Iterator[Server]:
    """Starts `paramecium serve`, waits for 200 of /healthz, and ends it afterwards."""
    port = _free_port()
    began_s = time.perf_counter()
    with _started(command(data, config, "serve", "--port", str(port), *options)) as process:
        _healthy(port, process, began_s + START_TIMEOUT_S)
        yield Server(port, process.pid, began_s, time.perf_counter() - began_s)


@contextmanager
def fake_upstream(flood: int) -> Iterator[str]:
    """Starts the fake service and yields its address."""
    with _started([sys.executable, "-m", "evals.bench.fake_upstream", str(flood)], piped=True) as process:
        port = int(process.stdout.readline()) if process.stdout else 0
        yield f"http://127.0.0.1:{port}"


def post(server: Server, path: str, body: Json) -> Json:
    """Returns the document a server answers with; raises ConnectionError for any other answer than 200."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_TIMEOUT_S)
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    try:
        connection.request("POST", path, dump_json(body), headers)
        answer = connection.getresponse()
        document = load_json(answer.read())
    finally:
        connection.close()
    if answer.status != _OK or not isinstance(document, dict):
        raise ConnectionError(f"{path} answered {answer.status}: {document}")
    return document


def resident_bytes(pid: int) -> int:
    """Returns how much memory of a process is resident, mapped pages included."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").split("\n") if line)
        return int(fields["VmRSS"].split()[0]) * 1024
    done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], check=True, capture_output=True, text=True)
    return int(done.stdout) * 1024


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _healthy(port: int, process: subprocess.Popen[bytes], until_s: float) -> None:
    while time.perf_counter() < until_s and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_TIMEOUT_S)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == _OK:
                return
        except ConnectionError:
            time.sleep(_TRY_EVERY_S)
        finally:
            connection.close()
    raise ConnectionError(f"no 200 of /healthz at port {port}")


@contextmanager
def _started(line: list[str], *, piped: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    out = subprocess.PIPE if piped else subprocess.DEVNULL
    with subprocess.Popen(line, env=environment(), cwd=ROOT, stdout=out, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
