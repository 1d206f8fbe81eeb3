"""How much of a long talk is what was placed beside the words."""

from datetime import date
from itertools import cycle

from paramecium.chat.beside import Beside
from paramecium.memories.document_reader import DocumentReader
from paramecium.memories.tokens import estimated_tokens
from paramecium.recall.menu import Line, Menu, Occasion, fitting
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import LIFE, House, says

# A talk as people have it: a person says some thirty characters, the AI a little less.
SAID = (
    "今天终于把阳台上的枇杷苗移到大盆里了,手上全是泥,砚台在旁边看着不肯走。",
    "嗯嗯",
    "你还记得我上次说的那家面馆吗?老板娘今天送了我一碟腌萝卜,说好久不见。",
)
ANSWERS = (
    "记得,就是巷子口那家。她大概一直惦记着你,上次你说她家女儿要高考,不知道考得怎么样了。",
    "那就早点睡吧,明天不是还要去医院陪妈妈复查吗?闹钟我替你记着了,七点。",
)
TURNS = 200
MEMORIES = 40


TERSE = (("在吗在吗呢", "嗯嗯"), ("嗯嗯我在的", "好呀好呀好"))


class OneAtMost:
    """Lists one memory a turn as long as one is left that is not known; their titles are of all lengths to 60.

    With `fits` they are only those there is room for.
    """

    def __init__(self, *, fits: bool = False) -> None:
        self._fits = fits

    def begin(self, _text: str) -> "OneAtMost":
        """Begins nothing."""
        return self

    def drop(self) -> None:
        """Ends nothing."""

    def offer(self, occasion: Occasion) -> Menu:
        """Returns a menu of one line at most."""
        room = occasion.room if self._fits else 150
        for i in range(MEMORIES):
            title = ("外婆的院子里有一棵枇杷树,到了五月就黄了,一地都是。" * 3)[: 5 + i % 56]
            line = Line(f"m-{i}", "2024-05-01", title, ("message",), 1.0)
            lines, text = fitting([line], date(2026, 6, 12), "zh", room)
            if f"m-{i}" not in occasion.known and lines:
                return Menu(lines, text)
        return Menu()


def test_over_200_turns_given_is_a_seventh_of_the_transcript_at_most() -> None:
    """With a menu whenever something is not yet known, five facts, and a new day every ten turns: 15 % at most."""
    store = RamStore()
    house = House(store, beside=Beside(DocumentReader(store, LIFE), OneAtMost()))
    for i in range(5):
        store.create(f"{LIFE}/facts/f{i}.md", f"第{i}件事:妈妈下周三去医院复查,挂的是下午的号。".encode())
    conv: str | None = None
    for turn, said, answer in zip(range(TURNS), cycle(SAID), cycle(ANSWERS), strict=False):
        house.clock.forward(minutes=5, hours=15 if turn % 10 == 0 else 0)
        house.says(says(answer))
        conv = house.talk(f"t{turn}", said, conv).conversation
    assert conv
    entries = house.entries(conv)
    given = sum(estimated_tokens((e.given or {}).get("text", "")) for e in entries)
    words = sum(estimated_tokens(e.text) for e in entries)
    listed = [line["id"] for e in entries for line in (e.given or {}).get("menu", ())]
    assert len(entries) == 2 * TURNS
    assert sorted(listed) == sorted(f"m-{i}" for i in range(MEMORIES))
    assert given <= 0.15 * (given + words)


def test_over_200_turns_of_few_words_it_is_no_more() -> None:
    """Five characters a message in one long evening, with five facts and whatever menu there is room for."""
    store = RamStore()
    house = House(store, beside=Beside(DocumentReader(store, LIFE), OneAtMost(fits=True)))
    for i in range(5):
        store.create(f"{LIFE}/facts/f{i}.md", f"第{i}件事:妈妈下周三去医院复查,挂的是下午的号。".encode())
    conv: str | None = None
    for turn, said, answer in zip(range(TURNS), cycle(TERSE[0]), cycle(TERSE[1]), strict=False):
        house.clock.forward(minutes=2)
        house.says(says(answer))
        conv = house.talk(f"t{turn}", said, conv).conversation
    assert conv
    entries = house.entries(conv)
    given = sum(estimated_tokens((e.given or {}).get("text", "")) for e in entries)
    words = sum(estimated_tokens(e.text) for e in entries)
    assert words < 10 * TURNS
    assert any((e.given or {}).get("menu") for e in entries)
    assert given <= 0.15 * (given + words)
