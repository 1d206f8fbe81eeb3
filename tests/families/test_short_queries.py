"""Queries of one to four characters, and mixed ones, against a plain LIKE over everything that was said."""

import random
from pathlib import Path

import pytest

from paramecium.index.fold import fold
from tests.recall.lives import Life
from tests.recall.test_exact import MIXTURES, mixed

# What people reported as not found, with the words it was to be found in (D9).
REPORTED = (
    ("用户身份", "系统会检查用户身份，然后放行"),
    ("设备", "设备清单(devices)：NAS、路由器"),
    ("设备清单", "设备清单(devices)：NAS、路由器"),
    ("清单(dev", "设备清单(devices)：NAS、路由器"),
    ("端到端测试", "端到端测试结果都在这里"),
    ("留守女士", "昨晚看了《留守女士》"),
    ("《留守", "昨晚看了《留守女士》"),
    ("NAS、路", "设备清单(devices)：NAS、路由器"),
    ("猫", "猫"),
    ("C", "维生素C片"),
    ("C片", "维生素C片"),
    ("素C片", "维生素C片"),
    ("K歌", "去K歌吗"),
    ("3月", "３月的雨"),
    ("iPhone手机", "新买的iphone手机"),
    ("體重", "体重六十"),
    ("𠮷野", "去𠮷野家吃饭"),
    ("🍊黄", "🍊黄了"),
    ("吗？", "好吗？"),
)


def shown(life: Life, query: str) -> set[tuple[str, int]]:
    """Returns every message that the windows of all pages of an exact recall show as a hit or beside one."""
    places: set[tuple[str, int]] = set()
    cursor: str | None = None
    for _ in range(500):
        found = life.find(query, exact=True, n=50, cursor=cursor)
        for window in found.windows:
            there = {(window.conversation, p.said.n) for p in window.pieces}
            assert there & life.holding(query), "a window without a hit"
            assert window.text == "".join(p.said.text[p.start : p.end] for p in window.pieces)
            places |= there
        cursor = found.next
        if cursor is None:
            return places
    raise AssertionError("pages without end")


def cuts(life: Life, rng: random.Random) -> list[str]:
    """Returns runs of one to four characters of what was said: Chinese, Latin, mixed, with marks and emoji."""
    texts = [t for t in life.said.values() if len(t) > 4]
    chosen = [
        t[(at := rng.randrange(len(t) - size)) : at + size] for size in (1, 2, 3, 4) for t in rng.choices(texts, k=25)
    ]
    return [q for q in chosen if not q.isspace()]


@pytest.mark.parametrize("mixture", MIXTURES)
def test_every_short_query_finds_what_like_finds(tmp_path: Path, mixture: str) -> None:
    """A hundred runs of one to four characters: every message that holds one is shown, wherever its words stand."""
    life = mixed(tmp_path, mixture, messages=120)
    queries = cuts(life, random.Random(7))
    assert {len(q) for q in queries} == {1, 2, 3, 4}
    assert any(q.isascii() for q in queries)
    assert any(any(c.isascii() and c.isalpha() for c in q) and any("一" < c < "龥" for c in q) for q in queries)
    for query in queries:
        assert life.holding(query) <= shown(life, query), query
        there, text = query in "".join(life.said.values()), life.texts(query, exact=True)
        assert not there or any(fold(query) in fold(t) for t in text)


@pytest.mark.parametrize("stand", ["fresh", "ingested", "full text"])
def test_what_people_missed_is_found(tmp_path: Path, stand: str) -> None:
    """Each reported query finds its words, exactly and in a question without quotation marks (D9 123-133)."""
    life = Life(tmp_path)
    life.say("a", *dict.fromkeys(text for _, text in REPORTED))
    life.say("b", *(f"第{i}天，什么也没有发生。" for i in range(30)))
    if stand != "fresh":
        life.ingest()
    if stand == "full text":
        life.build()
    for query, text in REPORTED:
        assert life.holding(query) == {p for p, t in life.said.items() if fold(query) in fold(t)} != set()
        assert any(text in t for t in life.texts(query, exact=True)), query
        assert any(text in t for t in life.texts(query)), query
    assert life.texts("不在这里", exact=True) == []


def test_a_longer_question_still_meets_its_words(tmp_path: Path) -> None:
    """A query with more than the text holds is no reason to find nothing (D9 127)."""
    life = Life(tmp_path)
    life.say("a", "端到端测试", "端到端测试结果")
    life.say("b", *(f"无关的话{i}" for i in range(30)))
    life.build()
    assert life.texts("端到端测试结果", exact=True)
    assert "端到端测试" in life.texts("昨天的端到端测试结果怎么样了")[0]
