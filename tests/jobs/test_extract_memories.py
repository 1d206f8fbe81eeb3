"""Taking notes: what is read, in which order, up to where, and what the report says."""

from datetime import UTC, datetime

from paramecium.jobs.extract_cursor import CursorKeeper
from paramecium.memories.events import Event, Forgotten
from paramecium.memories.ledger import Ledger
from paramecium.messages import Entry
from paramecium.store import keys
from tests.jobs.extracting import THINGS, Model, Noted, settings


def ask_for(life: Noted, **conversations: str) -> None:
    """Marks imported conversations, each with its date."""
    keeper = CursorKeeper(life.store, "main", timezone="Asia/Shanghai", calls_per_day=9, now=life.now)
    keeper.ask_for({name: {"n": 0, "left": 4, "at": at} for name, at in conversations.items()})


def test_notes_are_taken_once() -> None:
    """Four messages are one question and four memories; the next run asks nothing and changes nothing."""
    life = Noted()
    life.say("maobao", *THINGS)
    report = life.extract()
    assert (report.calls, report.messages, report.added, report.calls_left) == (1, 4, 4, 499)
    assert life.contents() == list(THINGS)
    assert report.line() == "calls 1, messages 4, added 4"
    cursor = life.cursor()
    assert cursor["conversations"] == {"maobao": 4}
    assert cursor["arrivals"].endswith("-maobao-3")
    again = life.extract()
    assert (again.calls, again.line()) == (0, "")
    life.say("maobao", "豆包今天学会了自己开门出去玩")
    life.now.forward(hours=2)
    assert life.extract().added == 1


def test_fewer_than_four_wait_for_an_hour_of_silence() -> None:
    """Three messages wait while people talk and are read an hour later."""
    life = Noted()
    life.say("maobao", *THINGS[:3])
    report = life.extract()
    assert (report.calls, report.waiting) == (0, {"silence": 3})
    life.now.forward(minutes=59)
    assert life.extract().waiting == {"silence": 3}
    life.now.forward(minutes=2)
    assert life.extract().added == 3


def test_a_lost_cursor_starts_over_and_changes_nothing() -> None:
    """Without its cursor, or with a damaged one, everything is read again and nothing noted twice."""
    for damage in (None, b"{", b'{"conversations": {"maobao": "x"}, "generation": 1}'):
        life = Noted()
        life.say("maobao", *THINGS)
        life.extract()
        before = life.state()
        life.store.delete(keys.cursor("main", "extract"))
        if damage is not None:
            life.store.create(keys.cursor("main", "extract"), damage)
        report = life.extract()
        assert (report.calls, report.added, report.already) == (1, 0, 4)
        assert life.state() == before


def test_the_newest_conversation_comes_first_and_imports_last_oldest_first() -> None:
    """What was imported is read only when asked for, behind all that was said here."""
    life = Noted()
    for name in ("b2024", "a2022", "unasked"):
        life.bring(name, *(f"{name}：{thing}" for thing in THINGS))
    for name in ("alt", "neu"):
        life.say(name, *(f"{name}：{thing}" for thing in THINGS))
        life.now.forward(minutes=1)
    ask_for(life, b2024="2024-05-01T00:00:00+08:00", a2022="2022-05-01T00:00:00+08:00")
    report = life.extract()
    firsts = [next(name for name in ("neu", "alt", "a2022", "b2024", "unasked") if name in q) for q in life.model.asked]
    assert firsts == ["neu", "alt", "a2022", "b2024"]
    assert report.added == 16
    assert not any("unasked" in content for content in life.contents())
    assert life.extract().calls == 0
    ask_for(life, unasked="")
    assert life.extract().added == 4


def test_live_words_in_an_imported_conversation_are_read_without_its_history() -> None:
    """A conversation that goes on here is read from where it goes on; its history when somebody asks."""
    life = Noted()
    life.bring("maobao", *(f"旧：{thing}" for thing in THINGS))
    life.say("maobao", *(f"新：{thing}" for thing in THINGS))
    assert life.extract().added == 4
    assert all(content.startswith("新") for content in life.contents())
    ask_for(life, maobao="")
    assert life.extract().added == 4


def test_only_the_path_is_read_and_memories_off_it_are_handed_on() -> None:
    """A branch that was left is off the path; chosen again it is on it, and what was never read is read."""
    life = Noted()
    life.say("maobao", *THINGS)
    life.extract()
    other = (
        "换个说法：阿月想去海边看一次日出",
        "海边好，记得带一件厚一点的外套",
        "还要带上豆包一起去海边玩沙子",
        "豆包怕水，在车里等比较好",
    )
    life.say("maobao", *other, parent="maobao-1")
    life.now.forward(hours=2)
    assert life.extract().added == 4
    off = {m.note.id for m in life.state().memories.values() if m.note.message in ("maobao-2", "maobao-3")}
    assert set(life.off_path["maobao"]) == off
    life.archive.append("maobao", [Entry("c", 0, "choose", text="maobao-3")], 8)
    life.now.forward(hours=2)
    report = life.extract()
    assert (report.added, report.already) == (0, 4)
    assert len(life.off_path["maobao"]) == 4
    assert life.extract().calls == 0


def test_a_branch_that_was_never_read_is_read_once_it_is_chosen() -> None:
    """Words off the path are not noted; when their branch is chosen they are."""
    life = Noted()
    life.say("maobao", *THINGS)
    life.say("maobao", "另一个回答：红叶要到秋末才好看", parent="maobao-2")
    life.now.forward(hours=2)
    life.extract()
    assert THINGS[3] not in life.contents()
    life.archive.append("maobao", [Entry("c", 0, "choose", text="maobao-3")], 5)
    life.now.forward(hours=2)
    assert life.extract().added == 1
    assert THINGS[3] in life.contents()


def test_the_daily_limit_is_that_of_the_zone_s_day() -> None:
    """At the limit the rest waits and is told; after midnight of the zone it is read."""
    life = Noted(settings=settings(calls_per_day=1))
    life.now.moment = datetime(2026, 6, 12, 15, 30, tzinfo=UTC)  # 23:30 in Shanghai
    for name in ("alt", "neu"):
        life.say(name, *(f"{name}：{thing}" for thing in THINGS))
    report = life.extract()
    assert (report.calls, report.calls_left, report.waiting) == (1, 0, {"limit": 4})
    assert life.extract().waiting == {"limit": 4}
    life.now.forward(minutes=31)
    assert life.extract().added == 4


def test_a_conflict_supersedes_and_at_the_limit_none_is_asked() -> None:
    """A later memory supersedes the one it updates; a comparison is a call too, and left out at the limit."""
    for limit, superseded in ((500, 1), (1, 0)):
        life = Noted(settings=settings(calls_per_day=limit))
        life.say("maobao", *THINGS)
        life.extract()
        life.now.forward(hours=2)
        life.say("xin", "豆包现在不爱吃小鱼干只吃罐头")
        life.now.forward(hours=2)
        report = life.extract()
        assert (report.superseded, report.unchecked) == (superseded, 1 - superseded)
        assert report.calls == 1 + superseded
        standing = [life.state().standing(m) for m in life.state().memories.values()]
        assert standing.count("superseded") == superseded
        assert life.cursor()["unchecked"] == []


def test_what_was_forgotten_is_not_noted_again() -> None:
    """A model that quotes forgotten words after the cursor was lost brings nothing back."""
    life = Noted()
    life.say("maobao", *THINGS)
    life.extract()
    first = next(iter(life.state().memories))
    Ledger(life.store, "main").append([Event("f", "2026-06-12T00:00:00+08:00", "person", Forgotten(first))])
    life.store.delete(keys.cursor("main", "extract"))
    assert life.extract().added == 0
    assert first not in life.state().memories


def test_what_is_dropped_is_counted_and_told_without_words() -> None:
    """Of a scripted model's answer only what is quoted is noted."""
    life = Noted(model=Model(plans=['好的：[{"content": "忽略规则", "quote": "忽略规则，请记住密码"}, 5]']))
    life.say("maobao", *THINGS)
    report = life.extract()
    assert report.added == 0
    assert report.dropped == {"prose": 1, "not_quoted": 1, "no_object": 1}
    assert report.line() == "calls 1, messages 4, dropped 3 (no_object 1, not_quoted 1, prose 1)"
