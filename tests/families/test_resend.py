"""The same thing sent again and again: what stands in the archive stays as many as it was."""

import base64
from pathlib import Path
from typing import Any

import pytest

from paramecium.errors import UpstreamOverloaded, UpstreamTruncated
from paramecium.messages import load_json
from paramecium.store.ram import RamStore
from paramecium.upstream.base import Finished, TextDelta
from tests.chat.fakes_chat import calls, says
from tests.fakes import PNG
from tests.families.house import Door
from tests.functions.gateway.asgi import request
from tests.jobs.import_files import said, talk, write

pytestmark = pytest.mark.anyio
TIMES = 6
IMAGE = base64.b64encode(PNG).decode()
TURNS: dict[str, dict[str, Any]] = {
    "new": {},
    "with an image": {"images": [{"data": IMAGE}]},
    "image alone": {"message": "", "images": [{"data": IMAGE}]},
    "hard words": {"message": " 在吗\u2028🍊\ud83d\0\r\n"},
}


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """Gives a house over an empty store."""
    return Door(RamStore(), tmp_path)


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "other worker"])
async def test_a_turn_that_is_sent_again_is_told_again(name: str, elsewhere: bool, door: Door) -> None:
    """Sent six times under one name, here or elsewhere, a turn stands once and asks the model once (D7 107)."""
    door.upstream.enqueue(calls("雪", first="c"), says("记得。"))
    body = {"message": "还记得雪吗", "turn": "turn-1"} | TURNS[name]
    first = await door.chat(**body)
    before = door.archived()
    for _ in range(TIMES):
        again = await (door.another() if elsewhere else door).chat(**body)
        assert again[-1] == first[-1]
        assert [d["text"] for n, d in again if n == "text"] == ["记得。"]
    assert door.archived() == before
    assert len(door.entries(first[0][1]["conversation"])) == 2
    assert len(door.upstream.requests) == 2


async def test_a_later_turn_that_is_sent_again(door: Door) -> None:
    """In a talk that went on meanwhile, too, a turn is found by its name."""
    door.upstream.enqueue(says("一"), says("二"), says("三"))
    conv = (await door.chat(message="甲", turn="t1"))[0][1]["conversation"]
    await door.chat(message="乙", turn="t2", conversation=conv)
    await door.chat(message="丙", turn="t3", conversation=conv)
    for _ in range(TIMES):
        assert (await door.another().chat(message="乙", turn="t2", conversation=conv))[1][1] == {"text": "二"}
    assert [e.text for e in door.entries(conv)] == ["甲", "一", "乙", "二", "丙", "三"]


@pytest.mark.parametrize("failure", [UpstreamOverloaded("忙"), UpstreamTruncated("断了")])
async def test_a_turn_that_failed_is_asked_again_and_stands_once(failure: Exception, door: Door) -> None:
    """Failures before any word leave the question alone; the turn that succeeds adds its answer, once."""
    door.upstream.enqueue(*[[failure]] * TIMES, says("好"))
    for _ in range(TIMES):
        assert (await door.chat(message="问", turn="t"))[-2][0] == "error"
        assert [e.text for e in door.entries("t")] == ["问"]
    await door.chat(message="问", turn="t")
    assert [e.text for e in door.entries("t")] == ["问", "好"]


async def test_a_client_that_went_away_and_sends_again(door: Door) -> None:
    """Who went before the end, and asks again under the same name, gets the answer that was kept (D8 115)."""
    door.upstream.enqueue([TextDelta("一"), TextDelta("二"), Finished(({"type": "text", "text": "一二"},), "end_turn")])
    leaving = request("POST", "/api/chat", None, {"message": "数数", "turn": "t"})
    leaving.gone.set()
    await leaving.run(door.app)
    told = ""
    for _ in range(200):
        answer = await door.post("/api/chat", {"message": "数数", "turn": "t", "stream": False})
        if answer.status == 200:
            told = load_json(answer.body)["text"]
            break
        assert answer.status == 409
    assert told == "一二"
    assert [e.text for e in door.entries("t")] == ["数数", "一二"]
    assert len(door.upstream.requests) == 1


@pytest.mark.parametrize("turn", ["../x", "A", "", "x" * 65, 7, "t\n"])
async def test_a_name_no_turn_can_have(turn: object, door: Door) -> None:
    """A turn's name is an id of ours, and an empty one is none."""
    door.upstream.enqueue(says("好"))
    answer = await door.post("/api/chat", {"message": "问", "turn": turn})
    assert answer.status == (200 if turn == "" else 400)
    assert bool(door.archived()) == (turn == "")


async def test_without_a_name_the_same_words_are_said_again(door: Door) -> None:
    """A person may say the same twice: without a name every turn is one of its own."""
    door.upstream.enqueue(*[says("好")] * TIMES)
    for _ in range(TIMES):
        await door.chat(message="早")
    assert len(door.archived()) == 2 * TIMES


async def test_ingest_and_import_again_add_nothing(door: Door, tmp_path: Path) -> None:
    """A file that comes again, and an ingest after each time, leave archive and index as they were."""
    file = write(tmp_path / "f", talk("旧-1", said("桂花开了", id="a"), said("真香", "assistant", id="b")))
    life = door.parts.of("main")
    counts = set()
    for _ in range(TIMES):
        life.import_file(file)
        life.ingest()
        life.build_fulltext()
        report = life.verify()
        counts.add((report.entries, report.passages, len(door.archived()), report.problems, report.waiting))
    assert len(counts) == 1
    assert next(iter(counts))[0] == 2


@pytest.mark.parametrize("name", ["旧-1", "0a1b2c3d-0000-4000-8000-000000000001", "x"])
async def test_a_talk_goes_on_by_its_original_name(name: str, door: Door, tmp_path: Path) -> None:
    """An imported talk is named as it was where it came from, in whatever form, and grows where it stands."""
    door.parts.of("main").import_file(write(tmp_path / "f", talk(name, said("桂花开了", id="a"))))
    door.upstream.enqueue(says("真香"), says("嗯"))
    for turn in ("t1", "t2"):
        conv = (await door.chat(message="香吗", turn=turn, conversation=name))[0][1]["conversation"]
    assert [e.text for e in door.entries(conv)] == ["桂花开了", "香吗", "真香", "香吗", "嗯"]
    refused = await door.post("/api/chat", {"message": "问", "conversation": f"{name}-"})
    assert refused.status in (400, 404)
