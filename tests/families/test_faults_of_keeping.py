"""Faults of keeping in the system that is made anew here, by their numbers, asked again of what remembers."""

import base64
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import says
from tests.cli.process import paramecium
from tests.fakes import PNG
from tests.families.noted import Noted, sent, shipped
from tests.jobs.extracting import quotes_of
from tests.jobs.import_files import said, talk, write

pytestmark = pytest.mark.anyio
TEA = "我决定以后奶茶就只喝乌龙轻乳茶这一种了"
ODD = "第一行 有空格\n\n　第二行。\r\n豆包👩‍👩‍👧 很乖\u2028完"


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
async def door(tmp_path: Path) -> Noted:
    """Gives a life with one memory."""
    door = Noted(RamStore(), tmp_path, embedder=shipped())
    door.model.note = quotes_of
    await door.say(TEA, "记下了")
    assert door.extract().added == 1
    return door


async def test_9_10_28_no_job_changes_what_was_said_or_what_was_decided(door: Noted) -> None:
    """Notes, index, full text, rebuild and an edited document leave each canonical object as it was, pins included."""
    door.life.hand.pin(door.live()[0].id)
    door.write("facts/茶.md", TEA * 100)
    door.life.ingest()
    before, state = door.below("main/"), door.state()
    door.write("facts/茶.md", "改过了" + TEA * 100)
    for job in (door.extract, door.life.ingest, door.life.build_fulltext, door.life.rebuild, door.extract):
        job()
    door.store.delete("main/facts/茶.md")
    before.pop("main/facts/茶.md")
    assert before.items() <= door.below("main/").items()
    assert door.state() == state


@pytest.mark.parametrize("moment", ["2027-02-12", "2059-06-01", "2100-01-01"])
async def test_23_notes_are_taken_in_any_year(tmp_path: Path, moment: str) -> None:
    """No form of an id or a name of a key makes the job pass over what is said later."""
    door = Noted(RamStore(), tmp_path)
    door.clock.moment = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    await door.say(TEA, "记下了")
    assert door.extract().added == 1
    door.clock.forward(days=1)
    await door.say("老家的桂花又开了满院子都香", "真香")
    assert door.extract().added == 1


async def test_24_25_an_edit_is_read_though_nothing_grew(door: Noted, tmp_path: Path) -> None:
    """Another version of as many messages comes in beside the first, is noted, and stands where the first did."""
    for text, told in (("春天我们去看了玉渊潭的樱花", "好看"), ("春天我们去看了顾村公园的樱花", "真好看")):
        met: list[str] = []
        lines = said("早"), said("早呀", "assistant"), said(text), said(told, "assistant")
        door.life.import_file(write(tmp_path / "f", talk("旧-1", *lines)), met=met.append)
        door.life.ask_for(door.life.estimate_extract(met))
        report = door.extract()
        door.life.ingest()
        assert (report.added, [n.quote for n in door.live()][-1]) == (1, text)
    assert [m["quote"] for m in (await door.recall("哪里的樱花"))["memories"]][:1] == ["春天我们去看了顾村公园的樱花"]
    assert "玉渊潭" not in str(await door.menu("玉渊潭的樱花"))


@pytest.mark.parametrize("bad", ['account = "nobody"\nmodel = "m"', 'account = "s"\nmodle = "m"', 'key = "x"'])
def test_26_a_setting_that_is_misspelt_is_told(tmp_path: Path, bad: str) -> None:
    """A small model that would never be asked is refused before anything runs, by the name of what is wrong."""
    account = '[[accounts]]\nname = "s"\nkind = "openai"\napi_key = "k"\nmodels = ["m"]\n'
    (tmp_path / "paramecium.toml").write_text(f"{account}[small_model]\n{bad}\n", "utf-8")
    (tmp_path / "paramecium.toml").chmod(0o600)
    done = paramecium("extract", cwd=tmp_path)
    assert done.code != 0
    assert "small_model" in done.sentence()


async def test_27_a_fresh_life_needs_nothing(tmp_path: Path) -> None:
    """Every door and job works on an empty store, in any order."""
    door = Noted(RamStore(), tmp_path)
    assert await door.menu("奶茶") == []
    assert (await door.recall("奶茶"))["windows"] == []
    jobs = (door.life.build_fulltext, door.extract, door.life.rebuild, door.life.remember, door.life.ingest)
    for job in jobs:
        job()
    assert door.life.verify().problems == ()
    for arguments in (("memories", "list", "--json"), ("menu", "奶茶", "--json")):
        done = paramecium("--data", tmp_path / "new", *arguments, cwd=tmp_path)
        assert done.code == 0, done.err


@pytest.mark.parametrize("bad", [b"\xff\xfe", b"---\nkeywords: [\n---\nx", b"---\n- 1\n---\n"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "other process"])
async def test_29_a_bad_profile_changes_no_byte_of_the_head(door: Noted, bad: bytes, elsewhere: bool) -> None:
    """The last good text is used, in a new process as well; a message of an image alone has the same head too."""
    door.write("profile/persona.md", "你是小草，说话很轻。")
    door.write("profile/user.md", "阿南在植物园管温室。")
    door.life.ingest()
    await door.say("早")
    head = (door.upstream.requests[-1].system, door.upstream.requests[-1].tools)
    for name in ("persona", "user"):
        door.write(f"profile/{name}.md", bad)
    other = door.another() if elsewhere else door
    other.upstream.enqueue(says("好"))
    await other.chat(message="", images=[{"data": base64.b64encode(PNG).decode()}])
    assert (other.upstream.requests[-1].system, other.upstream.requests[-1].tools) == head
    assert "管温室" in sent(other.upstream.requests[-1])


async def test_35_two_turns_and_two_jobs_at_once_lose_nothing(door: Noted) -> None:
    """Both questions and answers stand on one path, each request begins with a person, and each is noted once."""
    conv = await door.say("我们来聊聊温室里的多肉植物吧", "好")
    door.upstream.enqueue(says("一"), says("二"))

    async def ask(words: str) -> None:
        await door.chat(message=words, conversation=conv)

    async def take(one: Noted) -> None:
        await anyio.to_thread.run_sync(lambda: one.extract(silent=False))

    async with anyio.create_task_group() as group:
        group.start_soon(ask, "玉露该怎么浇水才不会烂根呢")
        group.start_soon(ask, "生石花今年脱皮脱得特别早呢")
    assert len(door.entries(conv)) == 6
    assert {asked.messages[0]["role"] for asked in door.upstream.requests} == {"user"}
    other = Noted(door.store, door.folder / "elsewhere", embedder=door.embedder, model=door.model)
    for one in (door, other):
        one.clock.moment = datetime(2026, 6, 13, 12, tzinfo=UTC)
    async with anyio.create_task_group() as group:
        group.start_soon(take, door)
        group.start_soon(take, other)
    quotes = [n.quote for n in door.live()]
    assert (len(quotes), len(set(quotes))) == (4, 4)
