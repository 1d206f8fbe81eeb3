"""The parts of the house, put together over a store in memory and over a folder."""

import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest

from paramecium.chat.events import Ask, Done, Text
from paramecium.errors import BadId, BadInput, Stopped
from paramecium.settings import Settings
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from paramecium.wiring import Parts, build_parts
from tests.cli.process import environment
from tests.fakes import HashEmbedder

HEAVY = (
    *("pydantic", "rich", "numpy", "httpx", "uvicorn", "starlette", "boto3", "onnxruntime", "tokenizers", "usearch"),
    *("sqlite3", "asyncio", "anyio"),
)


@pytest.fixture(params=["memory", "folder"])
def parts(request: pytest.FixtureRequest, tmp_path: Path) -> Parts:
    """Gives the parts over each kind of store that needs no server, with an embedder of hashes."""
    store = RamStore() if request.param == "memory" else LocalStore(tmp_path / "data")
    return Parts(Settings(), store, embedder=HashEmbedder(), cache_folder=tmp_path / "cache")


async def turn(parts: Parts, text: str) -> tuple[str, str]:
    """Returns the answer to a message and the conversation it stands in."""
    events = [event async for event in parts.chat("main").run(Ask("t", text))]
    (done,) = (event for event in events if isinstance(event, Done))
    assert done.status == "complete"
    return "".join(event.text for event in events if isinstance(event, Text)), done.conversation


def test_importing_it_loads_nothing_heavy(tmp_path: Path) -> None:
    """The room itself is light; what is heavy is loaded by the part that needs it."""
    code = f"import sys, paramecium.wiring; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment(tmp_path)
    )
    assert done.stdout == "[]\n"


def test_the_embedding_library_reports_to_nobody(tmp_path: Path) -> None:
    """Embedding leaves no file in the home folder, and the library was told before it loaded."""
    code = (
        "import os, sys; from pathlib import Path; from paramecium.wiring import build_parts, default_settings\n"
        "parts = build_parts(default_settings(), data=Path('d'))\n"
        "assert parts.embedder and 'onnxruntime' not in sys.modules\n"
        "parts.embedder.query('茶'); assert 'onnxruntime' in sys.modules and os.environ['ORT_DISABLE_TELEMETRY'] == '1'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(tmp_path), cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_life_is_one_object_for_all_threads(tmp_path: Path) -> None:
    """Whoever asks for a life, and for its parts, gets the same ones."""
    parts = Parts(Settings(), RamStore(), embedder=HashEmbedder(), cache_folder=tmp_path)
    gate, seen = threading.Barrier(8), []

    def ask() -> None:
        gate.wait()
        seen.append((parts.of("main"), parts.chat("main"), parts.catalogue("main"), parts.of("main").finder))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {tuple(map(id, each)) for each in seen} == {tuple(map(id, seen[0]))}
    assert parts.of("work") is not parts.of("main")


@pytest.mark.parametrize("life", ["", "Main", "a/b", "derived", "papers", "..", "x" * 41])
def test_a_life_has_a_name_of_ours(life: str, tmp_path: Path) -> None:
    """A name that no life can have is refused before anything is built."""
    with pytest.raises(BadId):
        Parts(Settings(), RamStore(), cache_folder=tmp_path).of(life)


def test_building_touches_nothing(tmp_path: Path) -> None:
    """Parts over a folder that is not there make no folder, until something is written."""
    parts = build_parts(Settings(), data=tmp_path / "data")
    assert parts.search("main", {"query": "茶", "exact": True}) == {"memories": [], "windows": []}
    assert parts.catalogue("main").list(10, None) == []
    assert parts.stores_ok() == {"ok": True}
    assert list(tmp_path.iterdir()) == []


def test_a_turn_an_ingest_and_a_search_go_together(parts: Parts) -> None:
    """What was said is found fresh, found in the index, and repeated by the next turn."""
    answer, conversation = anyio.run(turn, parts, "砚台五点九公斤")
    assert "鹦鹉" in answer
    for _ in range(2):
        found = parts.search("main", {"query": "砚台五点九", "n": 1})["windows"]
        assert "砚台五点九公斤" in found[0]["text"]
        assert [line["id"] for line in parts.catalogue("main").list(10, None)] == [conversation]
        parts.of("main").ingest()
    assert parts.of("work").catalogue.list(10, None) == []
    with pytest.raises(BadInput, match="n must be"):
        parts.search("main", {"query": "茶", "n": "many"})


def test_work_in_the_background_starts_and_stops(parts: Parts) -> None:
    """start begins each work in a thread of its own; close asks them to stop, and no job writes any more."""
    began, ended = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        parts.stopping.wait(20)
        ended.set()

    parts.background.append(work)
    parts.start()
    assert began.wait(20)
    assert not ended.is_set()
    anyio.run(parts.close)
    assert ended.wait(20)
    with pytest.raises(Stopped):
        parts.of("main").ingest()
    anyio.run(parts.close)


def test_warming_fails_in_silence(tmp_path: Path) -> None:
    """Without an account or a model the server starts all the same; who needs them is told."""
    config = Settings.model_validate({"accounts": []})
    Parts(config, RamStore(), embedder=HashEmbedder(), cache_folder=tmp_path).warm()


def test_warming_loads_what_the_first_turn_needs(parts: Parts) -> None:
    """After warm the embedder, the view and the upstreams stand."""
    parts.warm()
    assert {"embedder", "upstreams"} <= set(parts.built)
    assert "views" in parts.of("main").built
