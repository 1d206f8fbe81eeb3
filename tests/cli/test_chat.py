"""`paramecium chat` and `paramecium demo`: a talk in the terminal."""

import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from paramecium import clock
from paramecium.chat.events import ChatEvent
from paramecium.cli.chat import talk
from paramecium.wiring import Parts
from tests.cli import fake_anthropic as fake
from tests.cli.fake_anthropic import KEY, FakeAnthropic
from tests.cli.process import at_a_terminal, paramecium, started
from tests.cli.server import Server

DECISION = "我决定以后奶茶就喝乌龙轻乳茶了"


@pytest.fixture
def anthropic() -> Iterator[FakeAnthropic]:
    """Gives a running model's service."""
    with fake.serving() as service:
        yield service


def said(folder: Path) -> list[dict[str, Any]]:
    """Returns every message of all conversations a person began here, in order."""
    blocks = sorted(folder.glob("main/archive/conversations/[!x]*/*.json"))
    return [e for b in blocks for e in json.loads(b.read_bytes()) if e["kind"] == "message"]


def test_one_message_is_answered_with_the_words_that_were_found(copy: Path) -> None:
    """The parrot's answer holds the recalled words; what it looked for goes to standard error."""
    done = paramecium("chat", "我后来决定奶茶就喝哪一种了？", cwd=copy.parent)
    assert done.code == 0, done.err
    assert DECISION in done.out
    assert done.out.endswith("\n")
    assert done.err == "  · recall: 我后来决定奶茶就喝哪一种了？\n"
    assert [(e["role"], e.get("status")) for e in said(copy)] == [("user", None), ("assistant", "complete")]
    assert done.out == said(copy)[1]["text"] + "\n"


def test_piped_lines_are_one_conversation(tmp_path: Path) -> None:
    """Each line with words is a message of one talk, empty ones are passed over; a locale changes no character."""
    lines = "第一句 🐈‍⬛\n\n  \n第二句\u2028还是第二句\r\n第三句".encode()
    done = paramecium("chat", cwd=tmp_path, stdin=lines, env={"LANG": "C", "PYTHONIOENCODING": "ascii"})
    assert done.code == 0, done.err
    assert "> " not in done.out + done.err
    asked = [e for e in said(tmp_path / "data") if e["role"] == "user"]
    assert [e["text"] for e in asked] == ["第一句 🐈‍⬛", "第二句\u2028还是第二句", "第三句"]
    assert len({p.parent for p in (tmp_path / "data").glob("main/archive/conversations/*/*.json")}) == 1


def test_bytes_that_are_no_utf8_are_kept(tmp_path: Path) -> None:
    """A byte that is no UTF-8 breaks nothing; the rest of the line is there."""
    done = paramecium("chat", cwd=tmp_path, stdin=b"\xe8\x8c\xb6 \xff ok\n")
    assert done.code == 0, done.err
    assert said(tmp_path / "data")[0]["text"] == "茶 \udcff ok"


def test_a_conversation_goes_on_by_either_id(copy: Path) -> None:
    """--conversation takes the original id of an import or our own; the new message follows the last one."""
    done = paramecium("chat", "还记得疫苗吗", "--conversation", "0305-scanner", cwd=copy.parent)
    assert done.code == 0, done.err
    (own,) = (
        w["conversation"] for w in paramecium("recall", "疫苗吗", "--exact", "--json", cwd=copy.parent).json["windows"]
    )
    assert own.startswith("x-")
    assert paramecium("chat", "好", "--conversation", own, cwd=copy.parent).code == 0
    blocks = sorted(copy.glob(f"main/archive/conversations/{own}/*.json"))
    entries = [e for b in blocks for e in json.loads(b.read_bytes()) if e["kind"] == "message"]
    assert [e["text"] for e in entries if e["role"] == "user"][-2:] == ["还记得疫苗吗", "好"]
    assert [e["parent"] for e in entries[-4:]] == [e["id"] for e in entries[-5:-1]]
    missing = paramecium("chat", "好", "--conversation", "nobody", cwd=copy.parent)
    assert missing.code == 1
    assert "nobody" in missing.sentence()


@pytest.mark.parametrize("typed", [True, False])
def test_the_first_turn_waits_for_the_model_of_the_menu(typed: bool) -> None:
    """Else it would have no menu: a process that has just begun needs longer to load than a turn waits."""
    seen: list[str] = []

    class Turns:
        async def run(self, _: object) -> AsyncIterator[ChatEvent]:
            seen.append("turn")
            return
            yield

    class Slow:
        def warm(self, life: str) -> None:
            clock.wait(0.2)
            seen.append(f"warm {life}")

        def chat(self, _: str) -> Turns:
            return Turns()

        async def close(self) -> None:
            seen.append("closed")

    assert anyio.run(talk, cast(Parts, Slow()), "main", ["早", "好"], None, "go on" if typed else "")
    assert seen == ["warm main", "turn", "turn", "closed"]


@pytest.mark.parametrize("message", ["", "  ", "字" * 400_000])
def test_a_message_that_cannot_be_stored_is_refused(message: str, tmp_path: Path) -> None:
    """Nothing to say, or too much, is one sentence, and nothing is stored."""
    piped = len(message) > 100  # more than a command may have as an argument
    stdin = f"{message}\n".encode() if piped else None
    done = paramecium("chat", *([] if piped else [message]), cwd=tmp_path, stdin=stdin)
    assert (done.code, done.out) == (1 if piped else 2, "")
    assert done.sentence()
    assert said(tmp_path / "data") == []


def test_at_a_terminal_a_refused_message_ends_no_talk(tmp_path: Path) -> None:
    """A person is asked for the next message, and an empty line ends the talk."""
    typed = [("> ", "你好"), ("> ", "再见"), ("> ", "")]
    code, screen = at_a_terminal("--data", "data", "chat", cwd=tmp_path, typed=typed)
    assert code == 0, screen
    assert "an empty line ends the talk" in screen
    (folder,) = (tmp_path / "data").glob("main/archive/conversations/*")
    assert f"to go on with this talk: `paramecium --data data chat --conversation {folder.name}`" in screen
    assert [e["text"] for e in said(tmp_path / "data") if e["role"] == "user"] == ["你好", "再见"]


@pytest.mark.parametrize(
    ("plan", "told", "stored"),
    [
        (fake.refuses(401, "authentication_error"), "401", []),
        (fake.refuses(529, "overloaded_error"), "overloaded", []),
        (fake.breaks_off("半句", "话"), "", [("半句话", "incomplete")]),
        (fake.falls_silent("半句"), "silent", [("半句", "incomplete")]),
    ],
)
def test_a_failing_model_is_told_and_what_came_is_kept(
    plan: fake.Plan, told: str, stored: list[tuple[str, str]], anthropic: FakeAnthropic, tmp_path: Path
) -> None:
    """The exit code is 1, the question stands, what was said stands as incomplete, and the key is nowhere."""
    (tmp_path / "c.toml").write_text(anthropic.config(upstream_idle_timeout_s=0.4), "utf-8")
    (tmp_path / "c.toml").chmod(0o600)
    anthropic.plans.append(plan)
    done = paramecium("--config", "c.toml", "chat", "早", cwd=tmp_path)
    assert done.code == 1
    assert told in done.err
    assert "paramecium: " in done.err
    entries = said(tmp_path / "data")
    assert entries[0]["text"] == "早"
    assert [(e["text"], e["status"]) for e in entries[1:]] == stored
    everything = b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    assert KEY.encode() not in done.stdout + done.stderr + everything


def test_ctrl_c_in_the_middle_of_an_answer_keeps_it(anthropic: FakeAnthropic, tmp_path: Path) -> None:
    """An interrupt while the model speaks shows no traceback, exits with 130, and what was said stands."""
    anthropic.plans.append(fake.falls_silent("说到一半"))
    with started("chat", "早", cwd=tmp_path, env=anthropic.environment) as process:
        assert process.stdout is not None
        heard = b""
        while "一半".encode() not in heard:
            heard += os.read(process.stdout.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, b"")
    assert [(e["text"], e.get("status")) for e in said(tmp_path / "data")] == [("早", None), ("说到一半", "incomplete")]


def test_of_several_piped_messages_one_failure_counts(anthropic: FakeAnthropic, tmp_path: Path) -> None:
    """The exit code is 1 when any turn failed, also when the last one went well; the talk went on."""
    anthropic.plans += [fake.refuses(401, "authentication_error"), fake.says("好", "的")]
    done = paramecium("chat", cwd=tmp_path, stdin="一\n二\n".encode(), env=anthropic.environment)
    assert done.code == 1
    assert done.out == "\n好的\n"
    assert [headers["x-api-key"] for headers, _ in anthropic.requests] == [KEY, KEY]


def test_the_demo_shows_the_words_and_serves(tmp_path: Path) -> None:
    """The demo brings the sample and its notes in, asks, and prints the words; again it finds all there, and serves."""
    first = paramecium("demo", cwd=tmp_path)
    assert first.code == 0, first.err
    assert DECISION in first.out
    assert "228 are new, 0 were there" in first.err
    assert "asking parrot (parrot)" in first.err
    assert "76 are new, 0 were there" in first.err
    assert "05-09 搬家那天砚台钻进洗衣机滚筒" in first.err
    assert "林夏: 阿棠拿一条冻干钓了四十分钟" in first.err
    with started("demo", "--serve", "--port", "0", cwd=tmp_path) as process:
        server = Server(process, tmp_path)
        assert "0 are new, 228 were there" in server.told
        assert "0 are new, 76 were there" in server.told
        assert server.lines[-2].startswith("Paramecium is at http://127.0.0.1:")
        with server.client as client:
            newest = client.get("/api/conversations").json()["conversations"][0]
            read = client.get(f"/api/conversations/{newest['id']}").json()["messages"]
        assert DECISION in read[-1]["text"]
        server.end()
    assert paramecium("verify", cwd=tmp_path).code == 0


def test_the_demo_leaves_a_life_of_its_own_alone(tmp_path: Path) -> None:
    """Where other conversations stand and the sample does not, nothing is mixed into them."""
    assert paramecium("chat", "早", cwd=tmp_path).code == 0
    done = paramecium("demo", cwd=tmp_path)
    assert done.code == 2
    assert "--data" in done.sentence()
    assert len(list((tmp_path / "data/main/archive/conversations").iterdir())) == 1


def test_the_demo_without_an_account_says_so(tmp_path: Path) -> None:
    """A configuration without accounts is told before anything is brought in."""
    (tmp_path / "paramecium.toml").write_text("accounts = []\n", "utf-8")
    done = paramecium("demo", cwd=tmp_path)
    assert done.code == 1
    assert "no account is configured" in done.sentence()
    assert not (tmp_path / "data").exists()
