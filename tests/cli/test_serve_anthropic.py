"""The whole way to a model and back: a served turn through the real adapter to a service on loopback."""

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli import fake_anthropic as fake
from tests.cli.fake_anthropic import KEY, FakeAnthropic
from tests.cli.process import until
from tests.cli.server import END_WITHIN_S, Server, said, serving

DECISION = "我决定以后奶茶就喝乌龙轻乳茶了"
CONFIG = {"upstream_idle_timeout_s": 0.5, "ping_after_s": 0.1, "person": "林夏", "ai": "小满"}


@pytest.fixture(scope="module")
def anthropic() -> Iterator[FakeAnthropic]:
    """Gives a running model's service."""
    with fake.serving() as service:
        yield service


@pytest.fixture(scope="module")
def server(life: Path, anthropic: FakeAnthropic, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gives a server over a copy of the sample life whose model is that service."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(life, folder / "data")
    (folder / "c.toml").write_text(anthropic.config(**CONFIG), "utf-8")
    (folder / "c.toml").chmod(0o600)
    with serving("--no-jobs", cwd=folder, before=("--config", "c.toml")) as running:
        yield running
        assert KEY not in running.told
        assert not [p for p in (folder / "data").rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]


def read(server: Server, events: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Returns the conversation of a turn, as it is stored."""
    conversation = events[0][1]["conversation"]
    messages: list[dict[str, Any]] = server.client.get(f"/api/conversations/{conversation}").json()["messages"]
    return messages


def test_a_recall_round_goes_through(server: Server, anthropic: FakeAnthropic) -> None:
    """The model asks, gets the words with date and name, and answers; one stream, one stored answer."""
    anthropic.requests.clear()
    anthropic.plans += [fake.recalls("奶茶喝哪一种"), fake.says("乌龙", "轻乳茶 🐈‍⬛\u2028。")]
    events = server.chat("我喝什么？")
    assert said(events) == "乌龙轻乳茶 🐈‍⬛\u2028。"
    assert [name for name, _ in events if name in ("start", "done", "error")] == ["start", "done"]
    assert (events[-1][1]["status"], events[-1][1]["model"]) == ("complete", "claude-x-2")
    assert any(DECISION in json.dumps(data, ensure_ascii=False) for name, data in events if name == "tool")
    (first, asked), (_, answered) = anthropic.requests
    assert first["x-api-key"] == KEY
    assert [t["name"] for t in asked["tools"]] == ["recall"]
    result = answered["messages"][-1]["content"][0]
    assert result["type"] == "tool_result"
    assert f"林夏 (2026-06-12 23:47): {DECISION}" in json.dumps(result, ensure_ascii=False)
    assert [(m["role"], m["speaker"]) for m in read(server, events)] == [("user", "林夏"), ("assistant", "小满")]


def test_the_transcript_is_sent_again(server: Server, anthropic: FakeAnthropic) -> None:
    """The second turn carries the first one, word for word, before the new question."""
    anthropic.requests.clear()
    anthropic.plans += [fake.says("你好"), fake.says("在")]
    events = server.chat("早")
    server.chat("在吗", conversation=events[0][1]["conversation"])
    (_, first), (_, second) = anthropic.requests
    roles = [m["role"] for m in second["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert "早" in json.dumps(second["messages"][0], ensure_ascii=False)
    assert (second["model"], second["stream"], first["model"]) == ("claude-x", True, "claude-x")


@pytest.mark.parametrize(
    ("plan", "kind", "status", "text"),
    [
        (fake.refuses(401, "authentication_error"), "upstream_refused", "error", ""),
        (fake.refuses(529, "overloaded_error"), "upstream_overloaded", "error", ""),
        (fake.breaks_off("半句", "话"), "upstream_truncated", "incomplete", "半句话"),
        (fake.falls_silent("半句"), "upstream_timeout", "incomplete", "半句"),
        (fake.falls_silent(), "upstream_timeout", "error", ""),
    ],
)
def test_what_goes_wrong_is_told_and_stored(
    plan: fake.Plan, kind: str, status: str, text: str, server: Server, anthropic: FakeAnthropic
) -> None:
    """The stream ends with error and done; the question stands, what was said stands as incomplete; one goes on."""
    anthropic.plans.append(plan)
    events = server.chat("早")
    assert [name for name, _ in events][-2:] == ["error", "done"]
    assert events[-2][1]["error"]["type"] == kind
    assert KEY not in json.dumps(events)
    assert events[-1][1]["status"] == status
    stored = read(server, events)
    assert stored[0]["text"] == "早"
    assert [(m["text"], m["status"]) for m in stored[1:]] == ([(text, status)] if text else [])
    anthropic.plans.append(fake.says("好"))
    again = server.chat("再试", conversation=events[0][1]["conversation"])
    assert said(again) == "好"


def test_a_signal_in_the_middle_of_an_answer_keeps_it(anthropic: FakeAnthropic, tmp_path: Path) -> None:
    """The server ends within 5 s while the model is speaking; what was said by then is stored as incomplete."""
    anthropic.plans.append(fake.falls_silent("说到", "一半"))
    with (
        serving("--no-jobs", cwd=tmp_path, env=anthropic.environment) as server,
        server.client.stream("POST", "/api/chat", json={"message": "早"}) as answer,
    ):
        heard = b""
        for piece in answer.iter_raw():
            heard += piece
            if "一半".encode() in heard:
                break
        assert server.end() < END_WITHIN_S
    blocks = sorted((tmp_path / "data").glob("main/archive/conversations/*/*.json"))
    entries = [e for b in blocks for e in json.loads(b.read_bytes())]
    assert [(e["text"], e.get("status")) for e in entries] == [("早", None), ("说到一半", "incomplete")]
    assert "Traceback" not in server.told


def test_a_client_that_leaves_costs_no_word(server: Server, anthropic: FakeAnthropic) -> None:
    """Who goes after the first word finds the whole answer in the archive."""
    gate = threading.Event()
    status, (body,) = fake.says("一", "二", "三")
    assert isinstance(body, bytes)
    at = body.index("二".encode())
    cut = body.rindex(b"event: ", 0, at)
    anthropic.plans.append((status, [body[:cut], gate.wait, body[cut:]]))
    with server.client.stream("POST", "/api/chat", json={"message": "数数"}) as answer:
        for piece in answer.iter_raw():
            if "一".encode() in piece:
                break
    gate.set()

    def last() -> str:
        listed = server.client.get("/api/conversations?limit=1").json()["conversations"][0]["id"]
        return str(server.client.get(f"/api/conversations/{listed}").json()["messages"][-1]["text"])

    until("the whole answer is stored", lambda: last() == "一二三")
