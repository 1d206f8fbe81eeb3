"""Runs `paramecium` as a person does: a process of its own, in a folder of its own, with a bare environment."""

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramecium import clock

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "paramecium")
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Ended:
    """Is what a process left behind."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """Returns the results."""
        return self.stdout.decode("utf-8")

    @property
    def err(self) -> str:
        """Returns what was told to a person."""
        return self.stderr.decode("utf-8")

    @property
    def json(self) -> Any:
        """Returns the one document on standard output, which is one line."""
        assert self.stdout.count(b"\n") == 1, self.out
        assert self.stdout.endswith(b"\n")
        return json.loads(self.stdout)

    def sentence(self) -> str:
        """Returns the one line an error is told in."""
        lines = self.err.split("\n")
        assert "Traceback" not in self.err, self.err
        assert lines[-1] == ""
        assert lines[-2].startswith("paramecium: "), self.err
        return lines[-2].removeprefix("paramecium: ")


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns an environment that holds nothing of the machine's but the way to Python."""
    paths = f"{ROOT / 'shared'}{os.pathsep}{ROOT}"
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": paths, **(more or {})}


def paramecium(
    *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes | None = None
) -> Ended:
    """Runs one command to its end; without `stdin` nothing can be read from standard input."""
    given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        cwd=cwd,
        env=environment(cwd, env),
        timeout=TIMEOUT_S,
        check=False,
        **given,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextmanager
def started(
    *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Starts one command with its output in pipes; at the end of the block it is dead."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment(cwd, env),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def at_a_terminal(*arguments: str | Path, cwd: Path, typed: list[tuple[str, str]]) -> tuple[int, str]:
    """Runs a command at a terminal: waits for each question's words, types the answer; returns code and screen."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=cwd,
        env=environment(cwd, {"TERM": "dumb"}),
        start_new_session=True,
    )
    os.close(slave)
    screen = ""
    seen = 0
    try:
        for question, answer in typed:
            while question not in screen[seen:]:
                screen += _more(master, screen)
            seen = len(screen)
            os.write(master, answer.encode() + b"\n")
        with suppress(OSError):  # a terminal nobody holds any more
            while more := _more(master, screen):
                screen += more
        return process.wait(TIMEOUT_S), screen
    finally:
        process.kill()
        process.wait()
        os.close(master)


def _more(master: int, screen: str) -> str:
    ready, _, _ = select.select([master], [], [], TIMEOUT_S)
    assert ready, f"nothing more came after: {screen}"
    return os.read(master, 65536).decode("utf-8", "replace")


def until(what: str, true: Any, timeout_s: float = 20.0) -> Any:
    """Returns the first true answer of a function, asked again and again up to a deadline."""
    last = clock.monotonic_s() + timeout_s
    while clock.monotonic_s() < last:
        if answer := true():
            return answer
        clock.wait(0.02)
    raise AssertionError(f"not within {timeout_s} s: {what}")
