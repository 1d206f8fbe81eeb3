"""Words no encoding likes, said over HTTP or brought in a file, and given back by `recall --json` as they were."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paramecium.messages import dump_json
from tests.cli import fake_anthropic as fake
from tests.cli.fake_anthropic import FakeAnthropic
from tests.cli.process import paramecium
from tests.cli.server import Server, said, serving
from tests.functions.gateway.sse_reader import read_all

TAG = "记号"
TEXTS = {
    "pair": "😀𠮷野🧑‍🌾🏳️‍🌈",
    "halves": "\ud83d半\ude00 \udfff\ud800",
    "nul": "\0中\0",
    "separators": "a\u2028b\u2029c\u0085d\ve\ff\x1c\x1d\x1e",
    "line ends": "\r\n一\r二\n三\r\r\n\n",
    "edges": " \t\u3000\u00a0首尾\u3000 \n",
    "marks": "\ufeff\u200f\u05e2\u05d1\u200e e\u0301 \uff45\u0301 \ufb01 \u212b",
    "stream": "data: x\n\nevent: done\n: ping\n\n[DONE]",
    "markup": '</script><b>&amp;"\\u0041\\',
    "tool": '{"type":"tool_use"} <tool_call> [2026-06-12 星期五 23:47]',
    "highest": "\U0010ffff\uffff\ufffe\ufffd\x7f\x80",
}
HEARD = {name: TAG + text for name, text in TEXTS.items()}


@pytest.fixture(scope="module")
def anthropic() -> Iterator[FakeAnthropic]:
    """Gives a running model's service."""
    with fake.serving() as service:
        yield service


@pytest.fixture(scope="module")
def server(anthropic: FakeAnthropic, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gives a server over an empty life."""
    folder = tmp_path_factory.mktemp("sacred")
    with serving("--no-jobs", cwd=folder, env=anthropic.environment) as running:
        yield running


def recalled(folder: Path) -> list[str]:
    """Returns the text of every message that holds the tag, put together from an exact recall."""
    done = paramecium("recall", TAG, "--exact", "--n", "50", "--json", cwd=folder)
    assert done.code == 0, done.err
    return sorted({text for window in done.json["windows"] for text in pieces(window)})


def pieces(window: dict[str, Any]) -> Iterator[str]:
    """Yields the text of a window message by message."""
    at = 0
    for piece in window["pieces"]:
        length = piece["end"] - piece["start"]
        yield window["text"][at : at + length]
        at += length
    assert at == len(window["text"])


def test_what_is_said_over_http_comes_back(server: Server, anthropic: FakeAnthropic) -> None:
    """Asked with escapes and unescaped, answered with the same words: both stand, and both are found (D1, D5 85)."""
    for name, text in HEARD.items():
        for escape in (True, False):
            anthropic.requests.clear()
            anthropic.plans.append(fake.says(text[:3], text[3:] + "答"))
            body = json.dumps({"message": text}).encode() if escape else dump_json({"message": text})
            answer = server.client.post("/api/chat", content=body)
            assert answer.status_code == 200, name
            asked = anthropic.requests[0][1]["messages"][-1]["content"][-1]["text"]
            clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
            assert asked == clean, name
    expected = sorted([*HEARD.values(), *(text + "答" for text in HEARD.values())])
    assert recalled(server.folder) == expected
    for command in ("ingest", "fts"):
        assert paramecium(command, cwd=server.folder).code == 0
        assert recalled(server.folder) == expected
    assert paramecium("verify", cwd=server.folder).code == 0


def test_the_stream_says_what_is_stored(server: Server, anthropic: FakeAnthropic) -> None:
    """The events of a turn, the conversation read afterwards and the archive's file say the same."""
    for text in HEARD.values():
        anthropic.plans.append(fake.says(text))
        events = read_all(server.client.post("/api/chat", content=dump_json({"message": text})).content)
        conversation = events[0][1]["conversation"]
        read = server.client.get(f"/api/conversations/{conversation}").content
        stored = [m["text"] for m in json.loads(read)["messages"]]
        blocks = sorted((server.folder / "data").glob(f"main/archive/conversations/{conversation}/*.json"))
        assert [said(events)] * 2 == stored == [e["text"] for b in blocks for e in json.loads(b.read_bytes())]
        assert said(events) == text


def test_what_comes_in_a_file_comes_back(tmp_path: Path) -> None:
    """Imported escaped or not, every word comes back, before the ingest, after it and from the full text."""
    texts = list(HEARD.values())
    lines = [{"id": f"c{i}", "messages": [{"role": "user", "content": t}]} for i, t in enumerate(texts)]
    half = len(lines) // 2
    (tmp_path / "f.jsonl").write_bytes(b"\n".join([json.dumps(x).encode() for x in lines[:half]]) + b"\r\n")
    (tmp_path / "g.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join(map(dump_json, lines[half:])))
    for file in ("f.jsonl", "g.jsonl"):
        assert paramecium("import", file, cwd=tmp_path).code == 0
    assert recalled(tmp_path) == sorted(texts)
    for command in ("ingest", "fts"):
        assert paramecium(command, cwd=tmp_path).code == 0
        assert recalled(tmp_path) == sorted(texts)
