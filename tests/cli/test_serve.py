"""`paramecium serve` as a process: address, token, doors, ports and its end."""

import json
import shutil
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.process import paramecium, started, until
from tests.cli.server import END_WITHIN_S, Server, said, serving

DECISION = "我决定以后奶茶就喝乌龙轻乳茶了"
TOKEN = "a-token-of-more-than-24-characters"


@pytest.fixture(scope="module")
def server(life: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gives a server over a copy of the sample life, without jobs."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "data").symlink_to(_copy(life, folder / "life"))
    with serving("--no-jobs", cwd=folder) as running:
        yield running


def _copy(life: Path, to: Path) -> Path:
    return Path(shutil.copytree(life, to))


def test_healthz_and_page_need_no_token(server: Server) -> None:
    """The server says that it runs, also without a token, and tells a token of 43 characters."""
    assert httpx.get(f"{server.url}/healthz", trust_env=False).json() == {"ok": True}
    assert httpx.get(server.url, trust_env=False).status_code == 200
    assert len(server.token) == 43
    assert "for this run; `paramecium init` makes a lasting one" in server.told


def test_a_wrong_token_is_refused(server: Server) -> None:
    """Without a token, or with another, nobody comes in."""
    for headers in ({}, {"authorization": f"Bearer {server.token}x"}, {"x-api-key": server.token[:-1]}):
        answer = httpx.post(f"{server.url}/api/chat", json={"message": "早"}, headers=headers, trust_env=False)
        assert answer.status_code == 401
    assert server.client.get("/api/conversations").status_code == 200


def test_a_turn_streams_the_words_and_can_be_read(server: Server) -> None:
    """The parrot's answer holds the decision; the conversation is listed first, and reads as it was streamed."""
    events = server.chat("我后来决定奶茶就喝哪一种了？")
    assert [events[0][0], events[-1][0]] == ["start", "done"]
    assert DECISION in said(events)
    assert events[-1][1]["status"] == "complete"
    conversation = events[0][1]["conversation"]
    listed = server.client.get("/api/conversations").json()["conversations"]
    assert (listed[0]["id"], listed[0]["messages"], len(listed)) == (
        conversation,
        1,
        19,
    )  # the parrot only repeats: an echo is no message of the index
    read = server.client.get(f"/api/conversations/{conversation}").json()["messages"]
    assert [m["text"] for m in read] == ["我后来决定奶茶就喝哪一种了？", said(events)]
    more = server.chat("再说一遍", conversation=conversation)
    assert more[0][1]["conversation"] == conversation


def test_what_was_just_said_is_found_by_another_process(server: Server) -> None:
    """Before any ingest, a recall of the command line finds a new message by its words."""
    words = "雪豹玩偶放在书架最上层"
    folder = server.folder
    ask = ("recall", words, "--exact", "--json")
    assert paramecium(*ask, cwd=folder).json["windows"] == []
    server.chat(words)
    assert any(words in w["text"] for w in paramecium(*ask, cwd=folder).json["windows"])
    assert any(words in text for text in server.recall(words))
    assert paramecium("verify", "--json", cwd=folder).json["waiting"] > 0


def test_recall_over_http_and_here_are_one(server: Server, life: Path) -> None:
    """POST /api/recall gives the windows the command line gives."""
    document = server.client.post("/api/recall", json={"query": "疫苗", "exact": True, "n": 5}).json()
    here = paramecium("--data", life, "recall", "疫苗", "--exact", "--json", cwd=life.parent).json
    assert document["windows"][-len(here["windows"]) :] == here["windows"] != []


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_the_middle_of_a_stream(sig: int, life: Path, tmp_path: Path) -> None:
    """A client that reads nothing holds nobody up: the server is gone within 5 s."""
    _copy(life, tmp_path / "data")
    with serving("--no-jobs", cwd=tmp_path) as server:
        body = json.dumps({"message": "我后来决定奶茶就喝哪一种了？"}).encode()
        head = f"POST /api/chat HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {server.token}\r\n"
        port = int(server.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            assert client.recv(12) == b"HTTP/1.1 200"
            assert server.end(sig) < END_WITHIN_S
    assert "Traceback" not in server.told


def test_a_port_that_is_taken_is_told(server: Server, tmp_path: Path) -> None:
    """A named port that another program holds, or that is none, is an error of one line."""
    for port in (server.url.rpartition(":")[2], "70000", "-1", "http"):
        done = paramecium("serve", "--port", port, cwd=tmp_path)
        assert done.code == 2
        assert "--port" in done.sentence()


def test_the_next_port_is_taken_by_itself(tmp_path: Path) -> None:
    """Without --port two servers on one folder come to stand at two ports, and both answer."""
    urls = []
    with started("serve", cwd=tmp_path) as one, started("serve", cwd=tmp_path) as two:
        for process in (one, two):
            running = Server(process, tmp_path)
            urls.append(running.url)
            assert running.client.get("/healthz").json() == {"ok": True}
            assert running.chat(f"第{len(urls)}个")[-1][1]["status"] == "complete"
            running.client.close()
        assert len(set(urls)) == 2
        assert all(url.startswith("http://127.0.0.1:87") for url in urls)
    assert paramecium("ingest", cwd=tmp_path).code == 0
    assert paramecium("verify", "--json", cwd=tmp_path).json["problems"] == []


def test_an_address_others_reach_needs_a_long_token(tmp_path: Path) -> None:
    """With a short token any address but loopback is refused; with a long one it listens there."""
    config = tmp_path / "paramecium.toml"
    for token, refused in (("short", True), (TOKEN, False)):
        config.write_text(f'token = "{token}"\n', "utf-8")
        config.chmod(0o600)
        for host in ("0.0.0.0", "::", ""):  # noqa: S104 - that is what is refused
            with started("serve", "--host", host, "--port", "0", cwd=tmp_path) as process:
                assert process.stderr is not None
                first = process.stderr.readline().decode()
                assert first.startswith("paramecium: at " if refused else "Paramecium is at "), first
                assert not refused or ("24 characters" in first and process.wait(10) == 2)
                assert token not in first


def test_ipv6_loopback(tmp_path: Path) -> None:
    """--host ::1 is loopback: any token will do, and the address is told in brackets."""
    (tmp_path / "paramecium.toml").write_text('token = "short"\n', "utf-8")
    with serving("--host", "::1", "--no-jobs", cwd=tmp_path) as server:
        assert server.url.startswith("http://[::1]:")
        assert "warning: others can read paramecium.toml" in server.told
        assert server.client.get("/healthz").json() == {"ok": True}


def test_the_token_of_a_run_belongs_to_the_life_that_is_named(tmp_path: Path) -> None:
    """With --life and no configuration, what is said comes into that life."""
    with serving("--no-jobs", cwd=tmp_path, before=("--life", "work")) as server:
        server.chat("写进工作")
        until("stored", lambda: list((tmp_path / "data/work/archive/conversations").glob("*/*.json")))
    assert not (tmp_path / "data/main").exists()
