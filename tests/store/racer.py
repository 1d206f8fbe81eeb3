"""One of several processes that write to the same store at once; started by `races` and the tests of killed writers.

`python -m tests.store.racer TASK WORKER STORE`, STORE a folder or s3://bucket. It prints "ready", waits for a line,
works, and prints what came of it.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from paramecium.errors import AlreadyExists
from paramecium.messages import Json
from paramecium.store import record
from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from paramecium.store.s3 import S3Store

WORKERS = 8
INCREMENTS = 150
CONTESTED = 300
COUNTER = "derived/main/counter.json"
BODY_BYTES = 2_000_000
REPLACED_KEYS = 3


def open_store(where: str) -> ObjectStore:
    """Returns the store in a folder or in s3://bucket."""
    return S3Store(where[5:]) if where.startswith("s3://") else LocalStore(Path(where))


def start(task: str, worker: int, where: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Starts one process and returns it; it is ready when its first line comes."""
    command = [sys.executable, "-m", "tests.store.racer", task, str(worker), where]
    paths = os.pathsep.join(p for p in sys.path if p)
    return subprocess.Popen(
        command,
        env=os.environ | environment | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def race(task: str, where: str, environment: dict[str, str]) -> Sequence[str]:
    """Returns what each of eight processes printed after they began together."""
    processes = [start(task, worker, where, environment) for worker in range(WORKERS)]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        results = [process.communicate(timeout=120)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert [process.returncode for process in processes] == [0] * WORKERS
    return results


def sealed(seed: str) -> bytes:
    """Returns a large body that begins with the hash of its rest."""
    rest = hashlib.sha256(seed.encode()).hexdigest().encode() * (BODY_BYTES // 64)
    return hashlib.sha256(rest).hexdigest().encode() + rest


def is_whole(body: bytes) -> bool:
    """Tells whether a sealed body is as it was written."""
    return len(body) > BODY_BYTES - 64 and hashlib.sha256(body[64:]).hexdigest().encode() == body[:64]


def _increment(store: ObjectStore, worker: str) -> None:
    def add_one(value: Json) -> Json:
        return {**value, "count": value.get("count", 0) + 1}

    for _ in range(INCREMENTS):
        record.change(store, COUNTER, add_one, worker)


def _create(store: ObjectStore, worker: str) -> None:
    for n in range(CONTESTED):
        try:
            store.create(f"main/contested/{n:03d}", f"{n:03d} {worker}".encode())
            print(f"{n:03d} {worker}")
        except AlreadyExists:
            continue


def _write_for_ever(store: ObjectStore, worker: str) -> None:
    versions: dict[str, str] = {}
    for n in range(1_000_000):
        body = sealed(f"{worker} {n}")
        print("create", flush=True)
        store.create(f"main/created/{worker}/{n:07d}", body)
        key = f"derived/main/replaced/{worker}-{n % REPLACED_KEYS}"
        body = sealed(f"{worker} again {n}")
        print("replace", flush=True)
        versions[key] = store.replace(key, body, versions[key]) if key in versions else store.create(key, body)


TASKS = {"increment": _increment, "create": _create, "write": _write_for_ever}

if __name__ == "__main__":
    task, worker, where = sys.argv[1:]
    opened = open_store(where)
    print("ready", flush=True)
    sys.stdin.readline()
    TASKS[task](opened, worker)
