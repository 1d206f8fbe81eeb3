"""The commands of both READMEs, run as a reader types them, in a copy of the checkout's surface.

Only HOME, PATH and the working folder are set, and the port, which another program of this machine may hold.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paramecium.settings import read_settings
from tests.cli.process import ROOT, environment, until

READMES = ("README.md", "README.zh.md")
PORT = "8787"
DECISION = "我决定以后奶茶就喝乌龙轻乳茶了"
# Stands in for curl where there is none: the project needs python3 and make alone.
CURL = f"""#!{sys.executable}
import sys, urllib.request
options = iter(sys.argv[1:])
url, headers, body = "", {{}}, None
for option in options:
    match option:
        case "-s" | "-sN": pass
        case "-H": headers.update([next(options).split(": ", 1)])
        case "-d": body = next(options).encode()
        case _: url = option
with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
    sys.stdout.buffer.write(answer.read())
"""


def blocks(readme: str) -> list[list[str]]:
    """Returns the lines of each block of shell commands."""
    text = (ROOT / readme).read_text("utf-8")
    return [block.strip("\n").split("\n") for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)]


def commands() -> tuple[list[str], list[str]]:
    """Returns the commands of a life of one's own, and the two of a program: to talk, and to recall."""
    own, program = (b for b in blocks(READMES[0]) if not b[0].startswith("make "))
    return own, program


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Gives a folder that has what a clone has after `make setup`: the command, the examples, the configuration."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "paramecium").write_text(f'#!/bin/sh\nexec {sys.executable} -m paramecium "$@"\n', "utf-8")
    if shutil.which("curl") is None:
        (scripts / "curl").write_text(CURL, "utf-8")
    for script in scripts.iterdir():
        script.chmod(0o755)
    (tmp_path / "home").mkdir()
    return tmp_path


def shell(script: str, checkout: Path, **more: str) -> "subprocess.Popen[bytes]":
    """Starts a shell script in the checkout, with a home of its own and no terminal."""
    return subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=checkout,
        env=environment(checkout / "home", more),
    )


def results(script: str, checkout: Path, **more: str) -> str:
    """Returns the standard output of a script that ends well."""
    out, err = shell(script, checkout, **more).communicate(timeout=120)
    assert b"Traceback" not in err
    return out.decode("utf-8") + ("" if not err else "\x00" + err.decode("utf-8"))


def free_port() -> str:
    """Returns a port nobody holds just now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def lines_of(stream: Iterator[bytes]) -> Iterator[str]:
    """Yields what a process tells, line by line."""
    for line in stream:
        yield line.decode("utf-8")


def test_both_readmes_have_the_same_commands() -> None:
    """Whoever reads Chinese types what an English reader types."""
    assert blocks(READMES[0]) == blocks(READMES[1])
    assert len(blocks(READMES[0])) == 4


@pytest.mark.parametrize("readme", READMES)
def test_every_make_command_is_a_target(readme: str) -> None:
    """`make run` and `make test` are targets, and `make run` starts the demo that serves."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    wanted = {line.split()[1] for block in blocks(readme) for line in block if line.startswith("make ")}
    assert wanted == {"run", "test"}
    assert [target for target in wanted if not re.search(rf"(?m)^{target}:", makefile)] == []
    assert "paramecium demo --serve" in makefile


@pytest.mark.parametrize("readme", READMES)
def test_every_link_leads_somewhere(readme: str) -> None:
    """Each relative link names a file of the repository."""
    links = re.findall(r"\]\((?!https?://)([^)#]+)\)", (ROOT / readme).read_text("utf-8"))
    assert "examples/paramecium.toml" in links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("readme", READMES)
def test_the_small_model_of_the_readme_is_a_configuration(readme: str) -> None:
    """Written behind the accounts that `init` makes, it names an account that is there, with an address."""
    (block,) = re.findall(r"```toml\n(.*?)```", (ROOT / readme).read_text("utf-8"), re.DOTALL)
    settings = read_settings(f'[[accounts]]\nname = "parrot"\nkind = "parrot"\nmodels = ["parrot"]\n{block}', readme)
    assert settings.small_model is not None
    (account,) = (a for a in settings.accounts if a.name == settings.small_model.account)
    assert (account.kind, account.base_url) == ("openai", "http://127.0.0.1:11434/v1")


def test_the_commands_do_what_is_said(checkout: Path) -> None:
    """Line by line: a life begun, filled, searched, talked with, proved, rebuilt, served, and asked by a program."""
    own, program = commands()
    export, *steps, serve = own
    told = {}
    for step in steps:
        words = step.split()
        told[" ".join(words[3:4] + ["--json"] * ("--json" in words))] = results(f"{export}\n{step}", checkout)
    assert "paramecium.toml (readable by you alone)" in told["init"]
    assert "228 messages new" in told["import"]
    assert "奶茶" in told["recall"].partition("\x00")[0]
    windows = json.loads(told["recall --json"].partition("\x00")[0])["windows"]
    assert windows
    assert all("乌龙" in w["text"] and w["date"] >= "2026-06-01" for w in windows)
    assert DECISION in told["chat"]
    assert "everything is as it was said" in told["verify"]
    assert "the index stands anew" in told["rebuild"]
    assert (checkout / "home" / "paramecium" / "main").is_dir()
    _serve_and_ask(f"{export}\nexec {serve}", [f"{export}\n{line}" for line in program], checkout)


def _serve_and_ask(serve: str, program: list[str], checkout: Path) -> None:
    port = free_port()
    assert all(PORT in line for line in (serve, *program))
    server = shell(serve.replace(PORT, port), checkout)
    try:
        assert server.stderr is not None
        lines = lines_of(server.stderr)
        assert next(lines).startswith(f"Paramecium is at http://127.0.0.1:{port}")
        token = next(lines).split()[1]
        talk, recall = (line.replace(PORT, port) for line in program)
        streamed = results(talk, checkout, TOKEN=token).partition("\x00")[0]
        assert re.findall(r"(?m)^event: (\w+)$", streamed)[0] == "start"
        assert re.findall(r"(?m)^event: (\w+)$", streamed)[-1] == "done"
        assert DECISION in re.sub(r'"}\n\nevent: text\ndata: {"text":"', "", streamed)
        assert "奶茶" in json.loads(results(recall, checkout, TOKEN=token).partition("\x00")[0])["windows"][0]["text"]
        server.terminate()
        until("the server ended", lambda: server.poll() is not None, 5)
    finally:
        server.kill()
        server.communicate()


def test_the_stand_in_for_curl_does_what_curl_does(checkout: Path) -> None:
    """The stand-in understands the README's command, whether or not this machine needs it."""
    script = checkout / "curl.py"
    script.write_text(CURL, "utf-8")
    for line in commands()[1]:
        said = line.removeprefix("curl ").replace(PORT, free_port())
        _, err = shell(f"{sys.executable} curl.py {said}", checkout, TOKEN="t").communicate(timeout=30)
        assert b"Connection refused" in err
    assert os.access(script, os.R_OK)
