"""A talk for the tests of taking notes: messages of one conversation, and answers of a small model about them."""

import json
from collections.abc import Sequence
from typing import Any, Final

from paramecium.memories.batches import Batch
from paramecium.memories.extraction import Noted, Reading, read_answer
from paramecium.memories.spoken import Spoken

TEXTS: Final = (
    "早",
    "早呀，今天有什么打算？",
    "昨天和林夏去了千岛湖，船上风好大，她一路都在笑",
    "听起来真好，你们是坐船去的吗？",
    "对，坐的是9:30那班，票120块。我最喜欢的还是龙井，回来路上买了半斤",
    "那我记下了，你喜欢龙井。我以后提醒你少喝一点咖啡好不好",
)


def spoken(n: int, text: str, *, at: str = "", conversation: str = "c1") -> Spoken:
    """Returns a message; the person speaks on even numbers, a minute apart from 23:47 on."""
    role, speaker = (("user", "小明"), ("assistant", "小草"))[n % 2]
    return Spoken(conversation, f"m{n}", n, role, speaker, at or f"2026-06-12T23:{47 + n % 10}:00.000+08:00", text)


def talk(texts: Sequence[str] = TEXTS) -> tuple[Spoken, ...]:
    """Returns the messages of a talk."""
    return tuple(spoken(n, text) for n, text in enumerate(texts))


LAKE: Final = {"date": "2026-06-11", "content": "小明和林夏去了千岛湖", "quote": "昨天和林夏去了千岛湖，船上风好大"}
TEA: Final = {"date": "", "content": "小明最喜欢龙井", "quote": "我最喜欢的还是龙井，回来路上买了半斤"}
BATCH: Final = Batch(talk()[:2], talk()[2:])


def item(**changes: Any) -> dict[str, Any]:
    """Returns an item that becomes a note, with changes that may keep it from that."""
    return LAKE | changes


def answered(*items: Any) -> str:
    """Returns an answer with these items."""
    return json.dumps(items, ensure_ascii=False)


def read(answer: str, batch: Batch = BATCH, noted: Noted | None = None) -> Reading:
    """Returns what becomes of an answer."""
    return read_answer(answer, batch, noted=noted or {}, person="小明", ai="小草")


def reasons(*items: Any, batch: Batch = BATCH) -> dict[str, int]:
    """Returns what is counted for an answer with these items."""
    return dict(read(answered(*items), batch).dropped)
