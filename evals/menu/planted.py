"""Planted cases: for each lane a memory that only it can bring up, among the notes of the sample life.

Each is told twice: with all lanes its memory must be listed, without its own lane it must stay away. What is said in
them has nothing to do with the memory, so no other lane may find it. Knows the product's menus only through their door.
Invariant: every case stands among at least `AMONG_MIN` notes that are not meant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple, get_args

from evals.menu.house import TIMEOUT_S, House
from evals.menu.life import SETTINGS, sample_notes
from paramecium.chat.afterglow import Afterglow, context_of
from paramecium.index.embedder import Embedding
from paramecium.memories.events import Added, Note, Recalled
from paramecium.recall.menu import Occasion
from paramecium.settings import Lane

AMONG_MIN: Final = 30
LANES: Final[tuple[Lane, ...]] = get_args(Lane)
_LIVED: Final = datetime.fromisoformat("2026-09-01T09:00:00+08:00")
_RAIN: Final = "外面下大雨，雨点一直打在窗户上，我躺着睡不着"
_TALKS: Final = ("talk-1", "talk-2", "talk-3")

Meant = tuple[str, ...]


class Planted(NamedTuple):
    """Is one case: `meant` are beginnings of notes, the last of which must be listed by `lane`."""

    name: str
    lane: Lane
    meant: Meant
    at: str
    text: str
    reply: str = ""
    recalled: bool = False
    recalls: tuple[tuple[str, str, int], ...] = ()


CASES: Final = (
    Planted(
        "an anniversary nobody mentions",
        "this_day",
        ("林夏的三十一岁生日",),
        "2027-06-22T12:10:00+08:00",
        "路由器的灯一直在闪，网页打不开",
    ),
    Planted(
        "a lunar birthday nobody mentions",
        "this_day",
        ("林夏的妈妈过农历生日",),
        "2027-07-22T12:10:00+08:00",
        "路由器的灯一直在闪，网页打不开",
    ),
    Planted(
        "what was recalled on a rainy night",
        "context",
        ("何以宁毕业时把电饭锅",),
        "2026-10-20T23:40:00+08:00",
        "又下大雨了，雨点打着窗户，翻来覆去睡不着",
        recalls=((_RAIN, _TALKS[0], 0),),
    ),
    Planted(
        "two memories always recalled together",
        "edges",
        ("林夏的乌龙轻乳茶", "许老师忘不了大雾"),
        "2026-10-20T15:40:00+08:00",
        "路由器的灯一直在闪，网页打不开",
        recalled=True,
        recalls=tuple((text, talk, i) for talk in _TALKS for i, text in enumerate(("打印机卡纸了", "快递丢了一件"))),
    ),
    Planted(
        "the AI's own last topic",
        "afterglow",
        ("林夏七岁在汤旺河边",),
        "2026-10-20T15:40:00+08:00",
        "嗯嗯",
        reply="我在想你小时候掉进河里，是爸爸拎着后领子把你捞上来的。",
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Is how a case went: whether its memory was listed with all lanes, and without its own."""

    case: Planted
    listed: bool
    listed_without: bool

    @property
    def holds(self) -> bool:
        """Tells whether the lane brings the memory up, and nothing else does."""
        return self.listed and not self.listed_without


def tell(cases: Sequence[Planted], embedder: Embedding, folder: Path) -> list[Outcome]:
    """Returns how each case goes, each in a life of its own."""
    notes = sample_notes()
    return [_told(case, notes, embedder, folder) for case in cases]


def is_listed(case: Planted, lanes: tuple[Lane, ...], embedder: Embedding, folder: Path) -> bool:
    """Tells whether the case's memory is listed by these lanes."""
    house, meant = _house(case, sample_notes(), embedder, folder)
    return _is_listed(house, case, meant, embedder, lanes)


def _told(case: Planted, notes: Sequence[Note], embedder: Embedding, folder: Path) -> Outcome:
    house, meant = _house(case, notes, embedder, folder)
    without = tuple(lane for lane in LANES if lane != case.lane)
    listed, listed_without = (_is_listed(house, case, meant, embedder, lanes) for lanes in (LANES, without))
    return Outcome(case, listed, listed_without)


def _house(case: Planted, notes: Sequence[Note], embedder: Embedding, folder: Path) -> tuple[House, Meant]:
    """Returns the memories as the case needs them, and the ids of what it means."""
    meant = tuple(next(n.id for n in notes if n.content.startswith(beginning)) for beginning in case.meant)
    house = House(embedder, SETTINGS, folder)
    house.note(map(Added, notes), _LIVED)
    for text, talk, which in case.recalls:
        context = context_of(embedder.query(text), embedder.id)
        house.note([Recalled((meant[which],), (), text, talk, f"{talk}-{which}", f"{talk}-{which}", context)], _LIVED)
    house.keep()
    return house, meant


def _is_listed(house: House, case: Planted, meant: Meant, embedder: Embedding, lanes: tuple[Lane, ...]) -> bool:
    glow = Afterglow(lambda: embedder).of(SETTINGS.ai, case.reply)
    opened = meant[:1] if case.recalled else ()
    occasion = Occasion(
        case.text,
        datetime.fromisoformat(case.at),
        "now",
        case.reply,
        glow.numbers,
        glow.model,
        opened,
        frozenset(opened),
    )
    return meant[-1] in (line.id for line in house.menus(lanes).offer(occasion, TIMEOUT_S).lines)
