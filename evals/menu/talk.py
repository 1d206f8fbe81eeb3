"""Two talks beside the life: one of 200 turns without an end, and thirty messages that call for nothing.

The long talk says the life's own turns once more, in order, after it has passed: every message resembles something that
was noted, so the menu has as much to offer as it ever will, and what is listed once must not be listed again.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import cycle, islice
from typing import Final

from evals.menu.house import House
from evals.menu.life import Turn
from paramecium.chat.afterglow import Afterglow
from paramecium.recall.menu import Occasion

TURNS: Final = 200
TALK: Final = "talk"
BEGUN_AT: Final = datetime.fromisoformat("2026-09-02T09:00:00+08:00")
_APART: Final = timedelta(minutes=7)
SMALL_TALK: Final = (
    "嗯", "嗯嗯", "晚安", "哈哈哈", "好的", "在吗", "早", "吃了吗", "谢谢", "我去洗澡了",
    "早上好", "好吧", "哦", "哈哈哈哈哈哈", "行", "知道了", "我回来了", "等一下", "在的", "睡了",
    "辛苦啦", "拜拜", "ok", "好累啊", "😂", "你好", "怎么啦", "真的吗", "下班啦", "么么哒",
)  # fmt: skip


def long_talk(turns: Sequence[Turn]) -> list[Turn]:
    """Returns 200 turns of one talk that begins when the life has passed; a shorter life is said again."""
    return [_said_again(i, turn) for i, turn in enumerate(islice(cycle(turns), TURNS))]


def small_talk_lines(house: House) -> float:
    """Returns how many lines the thirty messages list on average, each after a reply as small as itself."""
    lines = (house.offer(Occasion(text, BEGUN_AT, TALK, text)).lines for text in SMALL_TALK)
    return sum(map(len, lines)) / len(SMALL_TALK)


def small_talk_lines_after(house: House, afterglow: Afterglow, speaker: str, turns: Sequence[Turn]) -> float:
    """Returns the same after replies of the life, spread over it: then the last topic may be brought up."""
    replies = [turn.answer.text for turn in turns if turn.answer is not None]
    listed = 0
    for i, text in enumerate(SMALL_TALK):
        reply = replies[i * len(replies) // len(SMALL_TALK)]
        glow = afterglow.of(speaker, reply)
        listed += len(house.offer(Occasion(text, BEGUN_AT, TALK, reply, glow.numbers, glow.model)).lines)
    return listed / len(SMALL_TALK)


def _said_again(i: int, turn: Turn) -> Turn:
    moment = BEGUN_AT + i * _APART
    at = moment.isoformat()
    question = replace(turn.question, id=f"again-{i}", n=2 * i, at=at)
    answer = None if turn.answer is None else replace(turn.answer, id=f"answered-{i}", n=2 * i + 1, at=at)
    return Turn(TALK, moment, question, answer)
