import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.errors import AlreadyExists, Damaged
from paramecium.index.fold import fold
from paramecium.index.fulltext import FullText, FullTextWriter, Moment

OPENED: list[FullText] = []


class Kept(NamedTuple):
    day: int
    conversation: str
    n: int
    text: str


def build(path: Path, messages: Iterable[Kept], covered: Mapping[str, int] | None = None) -> FullText:
    """Makes and opens a full text of the messages."""
    writer = FullTextWriter(path)
    for message in messages:
        writer.add(message.conversation, message.n, message.day, message.text)
    writer.finish(covered or {})
    OPENED.append(FullText(path))
    return OPENED[-1]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Closes what a test has opened."""
    yield
    while OPENED:
        OPENED.pop().close()


def said(*texts: str) -> list[Kept]:
    """Returns messages of one conversation, one a day, the last the newest."""
    return [Kept(738000 + n, "c", n, text) for n, text in enumerate(texts)]


def verified(found: Iterable[tuple[str, int]], messages: Iterable[Kept], query: str) -> list[tuple[str, int]]:
    """Returns the candidates that do hold the query, as a caller verifies them."""
    texts = {(m.conversation, m.n): m.text for m in messages}
    return [place for place in found if fold(query) in fold(texts[place])]


def oracle(messages: Iterable[Kept], query: str) -> list[tuple[str, int]]:
    """Returns what a scan of every text finds, newest first."""
    hits = [m for m in messages if query and fold(query) in fold(m.text)]
    return [(m.conversation, m.n) for m in sorted(hits, reverse=True)]


TEXTS = st.text(
    st.sampled_from("我的设备清单端到测试臺台deployPI 。《》😂👨👩\u200d👍🏽é\u0301ßﬁ\ud83d\ude00\0\n\u2028\u3000"),
    max_size=25,
)
ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abx"), TEXTS), max_size=12)
MESSAGES = ROWS.map(lambda rows: [Kept(day, conv, n, text) for n, (day, conv, text) in enumerate(rows)])


@settings(max_examples=150, deadline=None)
@given(MESSAGES, st.data())
def test_exact_search_finds_what_a_scan_finds(messages: list[Kept], data: st.DataObject) -> None:
    """Equals the oracle after verification, for cuts of 1 to 6 characters, whole texts and absent ones, in order."""
    with TemporaryDirectory() as folder:
        full = build(Path(folder) / "f.sqlite", messages)
        for text in [*{m.text for m in messages}, "不在这里"]:
            start = data.draw(st.integers(0, max(0, len(text) - 1)))
            for query in (text, *(text[start : start + size] for size in (1, 2, 3, 6))):
                found = list(full.candidates(query, limit=100))
                assert verified(found, messages, query) == oracle(messages, query)
                if query == "不在这里":
                    assert found == []
        OPENED.pop().close()


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("这是用户身份信息", ["用户身份", "用户", "身", "户身份"]),
        ("设备清单(devices)：路由器和 NAS", ["设备", "设备清单", "nas", "NAS", "清单(dev", "）：路", " N"]),
        ("跑了端到端测试，等报告", ["端到端测试", "端到端", "测试"]),
        ("昨天重看了《留守女士》", ["留守女士", "《留守女士》", "女士》"]),
        ("we deploy tonight, 今晚 deploy 到 Lambda", ["eplo", "DEPLOY", "y 到 l", "晚 d", "a"]),
        ("臺灣後來下雨了", ["台湾后来", "臺灣", "後", "后"]),
        ("全家 👨‍👩‍👧‍👦 好 👍🏽", ["👨‍👩‍👧‍👦", "👩", "\u200d", "👍🏽", "👍", "🏽"]),
        ("哈😂😂哈", ["😂", "😂😂", "哈😂", "😂哈"]),
        ("。。。？！", ["。。", "？！", "。", "？"]),
        ("a\0b\ud800c\u2028d", ["a\0b", "\0", "\ud800", "\u2028d"]),
    ],
)
def test_the_words_that_others_miss_are_found(tmp_path: Path, text: str, queries: list[str]) -> None:
    """Finds one, two, three and more characters, mixed scripts, emoji, marks, cut words; nothing absent."""
    messages = said("别的话题：天气", text, "还有一句")
    full = build(tmp_path / "f.sqlite", messages)
    for query in queries:
        assert verified(full.candidates(query, limit=10), messages, query) == [("c", 1)], query
    for absent in ("缺席", "zq", "鱻", "用户身份证", ""):
        assert verified(full.candidates(absent, limit=10), messages, absent) == []


def test_a_longer_question_still_meets_by_words(tmp_path: Path) -> None:
    """Finds 端到端测试 for the words of 端到端测试结果, behind what holds all of them; exact search does not."""
    messages = said("跑了端到端测试", "结果出来了", "端到端测试结果都是绿的", "无关")
    full = build(tmp_path / "f.sqlite", messages)
    assert verified(full.candidates("端到端测试结果", limit=9), messages, "端到端测试结果") == [("c", 2)]
    ranked = [n for _, n, _ in full.bm25(["端到", "到端", "端测", "测试", "试结", "结果"], limit=9)]
    assert ranked[:2] == [2, 0]
    assert sorted(ranked) == [0, 1, 2]


def test_candidates_come_newest_first_in_pages(tmp_path: Path) -> None:
    """Goes on behind the last one seen, page after page, also from a moment that is not in the file."""
    messages = [Kept(day, c, day * 10 + k, "猫") for day in (0, 5, 7) for c in ("a", "b", "x-1") for k in range(3)]
    full = build(tmp_path / "f.sqlite", messages[::-1])
    every = [(m.conversation, m.n) for m in sorted(messages, reverse=True)]
    assert list(full.candidates("猫", limit=100)) == every
    moments: dict[tuple[str, int], Moment] = {(m.conversation, m.n): (m.day, m.conversation, m.n) for m in messages}
    pages: list[tuple[str, int]] = []
    for _ in range(100):
        page = list(full.candidates("猫", limit=4, newest_before=moments[pages[-1]] if pages else None))
        pages.extend(page)
        if not page:
            break
    assert pages == every
    for moment in ((5, "aa", 3), (6, "a", 0), (9, "a", 0), (5, "b", 99), (0, "a", 0), (5, "x-1", 51)):
        expected = [
            (m.conversation, m.n) for m in sorted(messages, reverse=True) if (m.day, m.conversation, m.n) < moment
        ]
        assert list(full.candidates("猫", limit=100, newest_before=moment)) == expected


def test_days_and_a_conversation_narrow_both_searches(tmp_path: Path) -> None:
    """Keeps to days, first and last included, and to one conversation; an unknown one has nothing."""
    messages = [Kept(day, c, day, "今天喂猫") for day in (1, 2, 3, 4) for c in ("a", "b")]
    full = build(tmp_path / "f.sqlite", messages)
    assert len(list(full.candidates("喂猫", limit=99))) == len(full.bm25(["喂猫"], limit=99)) == 8
    for found in (
        list(full.candidates("喂猫", limit=99, days=(2, 3), conversation="a")),
        [(c, n) for c, n, _ in full.bm25(["喂猫"], limit=99, days=(2, 3), conversation="a")],
    ):
        assert found == [("a", 3), ("a", 2)]
    for days in ((3, 2), (9, 10)):
        assert list(full.candidates("喂猫", limit=99, days=days)) == []
        assert full.bm25(["喂猫"], limit=99, days=days) == []
    assert list(full.candidates("喂猫", limit=99, conversation="z")) == []
    assert full.bm25(["喂猫"], limit=99, conversation="z") == []


def test_coverage_is_what_was_given(tmp_path: Path) -> None:
    """Covers the numbers below each conversation's, also of one without messages, and nothing unknown."""
    full = build(tmp_path / "f.sqlite", said("猫"), {"c": 1, "only-renamed": 3})
    assert full.covered == {"c": 1, "only-renamed": 3}
    assert full.covers("c", 0)
    assert full.covers("only-renamed", 2)
    assert not full.covers("c", 1)
    assert not full.covers("z", 0)


def test_an_empty_life_has_a_full_text(tmp_path: Path) -> None:
    """Answers nothing from a file without messages."""
    full = build(tmp_path / "f.sqlite", [])
    assert list(full.candidates("猫", limit=9)) == []
    assert full.bm25(["猫"], limit=9) == []
    assert full.statistics(["猫"]) == (0, {"猫": 0}, 0)


def test_the_same_messages_make_the_same_bytes(tmp_path: Path) -> None:
    """Does not depend on the order messages came in."""
    messages = [Kept(day, c, day, f"第{day}天喂猫 deploy") for day in range(50) for c in ("b", "a")]
    build(tmp_path / "one.sqlite", messages, {"a": 50, "b": 50})
    build(tmp_path / "two.sqlite", messages[::-1], {"b": 50, "a": 50})
    assert (tmp_path / "one.sqlite").read_bytes() == (tmp_path / "two.sqlite").read_bytes()


def test_a_file_is_made_once(tmp_path: Path) -> None:
    """Refuses to write where something stands, and leaves no other file beside the finished one."""
    build(tmp_path / "f.sqlite", said("猫"))
    assert [path.name for path in tmp_path.iterdir()] == ["f.sqlite"]
    with pytest.raises(AlreadyExists):
        FullTextWriter(tmp_path / "f.sqlite")


def test_several_threads_search_at_once(tmp_path: Path) -> None:
    """Gives every thread the whole answer."""
    messages = said(*(f"第{n}次喂猫" for n in range(200)))
    full = build(tmp_path / "f.sqlite", messages)

    def search(n: int) -> list[tuple[str, int]]:
        return verified(full.candidates(f"第{n}次", limit=200), messages, f"第{n}次")

    with ThreadPoolExecutor(8) as pool:
        exact = list(pool.map(search, range(200)))
        ranked = list(pool.map(lambda _: len(full.bm25(["喂猫"], limit=500)), range(50)))
    assert exact == [[("c", n)] for n in range(200)]
    assert set(ranked) == {200}


def test_a_missing_or_foreign_file_is_damaged(tmp_path: Path) -> None:
    """Raises Damaged for no file, no database, and a database of another format."""
    (tmp_path / "words.sqlite").write_text("这不是数据库" * 100, "utf-8")
    (tmp_path / "empty.sqlite").touch()
    for name in ("none.sqlite", "words.sqlite", "empty.sqlite"):
        with pytest.raises(Damaged, match=name):
            FullText(tmp_path / name)


def test_a_damaged_file_never_does_worse_than_damaged(tmp_path: Path) -> None:
    """Raises Damaged, or answers, for a file cut anywhere or with flipped bytes; the whole file answers."""
    messages = said(*(f"第{n}次喂猫 deploy {chr(0x4E00 + n)}{chr(0x5E00 + n * 3)}" for n in range(300)))
    whole = build(tmp_path / "f.sqlite", messages)
    assert len(list(whole.candidates("喂猫", limit=300))) == len(whole.bm25(["deploy"], limit=300)) == 300
    body = (tmp_path / "f.sqlite").read_bytes()
    chance = random.Random(7)
    outcomes: Counter[str] = Counter()
    for round_number in range(300):
        damaged = bytearray(body[: chance.randrange(len(body))] if round_number % 3 == 0 else body)
        for _ in range(chance.choice((1, 8, 64))):
            if damaged:
                damaged[chance.randrange(len(damaged))] ^= chance.randrange(1, 256)
        (tmp_path / "bad.sqlite").write_bytes(damaged)
        outcomes[outcome(tmp_path / "bad.sqlite")] += 1
    assert outcomes["Damaged"] > 50
    assert outcomes.keys() <= {"Damaged", "answered"}


def outcome(path: Path) -> str:
    """Asks everything of a file and returns how it went."""
    try:
        with closing(FullText(path)) as full:
            list(full.candidates("喂猫", limit=300))
            list(full.candidates("第", limit=300, days=(738000, 738100), newest_before=(738050, "c", 50)))
            full.bm25(["deploy", "喂猫", "第", "次喂"], limit=300, conversation="c")
    except Damaged:
        return "Damaged"
    return "answered"
