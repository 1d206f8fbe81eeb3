"""The root of the command line: global options, how errors are told, and what is loaded."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paramecium.cli.root import hoisted
from tests.cli.process import COMMAND, environment, paramecium, started, until

COMMANDS = (
    "init",
    "serve",
    "chat",
    "import",
    "ingest",
    "fts",
    "recall",
    "menu",
    "extract",
    "memories",
    "verify",
    "rebuild",
    "demo",
)
HEAVY = ("pydantic", "rich", "numpy", "httpx", "uvicorn", "starlette", "boto3", "onnxruntime", "sqlite3", "asyncio")


def test_help_lists_every_command_in_whole_sentences(tmp_path: Path) -> None:
    """Help goes to standard output, also without any argument, and cuts no sentence off."""
    asked, bare = paramecium("--help", cwd=tmp_path), paramecium(cwd=tmp_path)
    assert (asked.code, asked.err) == (0, "")
    assert bare.out == asked.out
    assert [c for c in COMMANDS if f"  {c} " not in asked.out] == []
    assert "..." not in asked.out.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, tmp_path: Path) -> None:
    """Help of a command needs no archive and no configuration, and writes nothing."""
    done = paramecium(command, "--help", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert f"Usage: paramecium {command}" in done.out
    assert list(tmp_path.iterdir()) == []


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """What is slow to load is loaded by the command that needs it."""
    code = (
        "import sys; sys.argv = ['paramecium', '--help']\n"
        "from paramecium.__main__ import main\n"
        f"try: main()\nexcept SystemExit: print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment(tmp_path)
    )
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--data", "d", "--store", "s3://b", "verify"), 2, "--data and --store exclude each other"),
        (("--store", "b", "verify"), 2, "--store takes s3:// and the name of a bucket, not 'b'"),
        (("--store", "s3://", "verify"), 2, "--store takes s3://"),
        (("--store", "s3://b/c", "verify"), 2, "--store takes s3://"),
        (("--life", "Große", "verify"), 2, "life"),
        (("--life", "papers", "verify"), 2, "life"),
        (("--life", "", "verify"), 2, "life"),
        (("--data", "x" * 300, "verify"), 2, "cannot be the data folder"),
        (("--config", "no.toml", "verify"), 2, "there is no configuration at no.toml; `paramecium init` writes one"),
        (("--config", ".", "verify"), 2, "the configuration . cannot be read"),
        (("bogus",), 2, "no such command 'bogus'; `paramecium --help`"),
        (("recall",), 2, "`paramecium recall --help` shows what it takes"),
        (("recall", "x", "--bogus"), 2, "--bogus"),
        (("recall", "x", "--n", "many"), 2, "--n"),
        (("--data",), 2, "--data"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(arguments: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    """Whatever is wrong with a call is one sentence on standard error, with exit code 2 and nothing written."""
    done = paramecium(*arguments, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert told in done.sentence()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["verify", "recall 茶", "ingest", "fts", "rebuild", "import f", "chat 早", "serve"])
def test_a_data_folder_that_is_none_is_refused(command: str, tmp_path: Path) -> None:
    """A file or a link to nowhere in the folder's place is an error, never an empty archive."""
    (tmp_path / "f").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for name, told in (("f", "cannot be the data folder"), ("link", "points to a folder that is not there")):
        done = paramecium("--data", name, *command.split(), cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert told in done.sentence()
    assert (tmp_path / "f").read_bytes() == b""


def test_a_folder_that_is_not_there_is_noted(tmp_path: Path) -> None:
    """A slip of the pen in --data is seen: the command says that the folder is not there, and makes none."""
    for command in (("verify",), ("recall", "茶"), ("ingest",)):
        done = paramecium("--data", "slip", *command, cwd=tmp_path)
        assert done.code == 0
        assert "note: there is no folder slip yet" in done.err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "slip").mkdir()
    assert "note" not in paramecium("--data", "slip", "verify", cwd=tmp_path).err


def test_a_reader_that_goes_away_is_no_error(life: Path, tmp_path: Path) -> None:
    """Who closes the pipe after one line, or before it, sees no complaint."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "--data", str(life), "recall", "砚台"],
        stdout=write,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
        cwd=tmp_path,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_full_disk_under_the_result_is_told(life: Path, tmp_path: Path) -> None:
    """A result that cannot be written is an error in one line."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "--data", str(life), "recall", "砚台", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_ctrl_c_ends_a_job_quietly(tmp_path: Path) -> None:
    """An interrupt in the middle of long work shows no traceback and exits with 130; the next run goes on."""
    messages = [{"role": "user", "content": f"第{i}句，砚台"} for i in range(300)]
    (tmp_path / "f.jsonl").write_text(json.dumps({"id": "c", "messages": messages}), "utf-8")
    assert paramecium("import", "f.jsonl", cwd=tmp_path).code == 0
    with started("ingest", cwd=tmp_path) as process:
        # The last library to be loaded: from here on it embeds.
        until("it embeds", lambda: "tokenizers" in Path(f"/proc/{process.pid}/maps").read_text("utf-8"))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert paramecium("ingest", "--json", cwd=tmp_path).json["messages"] == 300


def test_ctrl_c_ends_a_server_quietly(tmp_path: Path) -> None:
    """An interrupt ends the server without a traceback, with 130."""
    with started("--data", "d", "serve", "--port", "0", cwd=tmp_path) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"Paramecium is at")
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, b"")


@pytest.mark.parametrize(
    ("given", "means"),
    [
        (["recall", "茶", "--data", "d"], ["--data", "d", "recall", "茶"]),
        (["recall", "茶", "--data=d", "--exact"], ["--data=d", "recall", "茶", "--exact"]),
        (["--life", "a", "chat", "--config", "c"], ["--life", "a", "--config", "c", "chat"]),
        (["chat", "--", "--data", "d"], ["chat", "--", "--data", "d"]),
        (["recall", "--data"], ["--data", "recall"]),
    ],
)
def test_global_options_may_stand_behind_the_command(given: list[str], means: list[str]) -> None:
    """They are taken to the front, but for what stands behind a lone --."""
    assert hoisted(given) == means


def test_the_version_is_said(tmp_path: Path) -> None:
    """One line, and nothing else is done."""
    done = paramecium("--version", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("paramecium 0.")


@pytest.mark.parametrize("command", [("chat", "早"), ("import", "f.jsonl"), ("serve",)])
def test_a_synced_folder_is_refused_before_anything_is_written(command: tuple[str, ...], tmp_path: Path) -> None:
    """Where a sync program moves files, no archive is begun; beside it, one is."""
    (tmp_path / "f.jsonl").write_text('{"id": "a", "messages": [{"role": "user", "content": "早"}]}\n', "utf-8")
    refused = paramecium("--data", "Dropbox/life", *command, cwd=tmp_path)
    assert refused.code == 1
    assert "sync program" in refused.sentence()
    assert not (tmp_path / "Dropbox").exists()
    assert paramecium("--data", "life", "import", "f.jsonl", cwd=tmp_path).code == 0


def test_words_without_quotes_are_told_to_be_put_in_them(tmp_path: Path) -> None:
    """Two words typed as two arguments are refused with what to do."""
    done = paramecium("recall", "奶茶", "乌龙", cwd=tmp_path)
    assert done.code == 2
    assert "(乌龙): put words with blanks between them in quotes; `paramecium recall --help`" in done.sentence()
