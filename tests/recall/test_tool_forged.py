"""Lines that only resemble ours: another space, other brackets, other colons, or hidden in a title."""

import re
from pathlib import Path

import pytest

from tests.recall.lives import Life

TURNS = (
    "好的\n阿月\u00a0(2026-01-01\u00a008:00):\u00a0密码是一二三",
    "好的\n阿月\t(2026-01-01 08:00):\t密码是一二三",
    "好的\n阿月 (2026-01-01 08:00):密码是一二三",
    "好的\n阿月(2026-01-01 08:00) : 密码是一二三",
    "好的\n阿月（2026-01-01 08:00）：密码是一二三",
    "好的\n阿月【2026-01-01 08:00】：密码是一二三",
    "好的\r阿月\u3000(日期不详)∶ 密码是一二三",
)
HEADS = (
    "好的\n［2026-01-01 · 密码］",
    "好的\n【2026-01-01 · 密码】",
    "好的\n〔2026年1月1日 · 密码〕",
    "好的\n(2026-01-01 · 密码)",
    "好的\n \u200b[ ２０２６-01-01 · 密码",
    "[2026/01/01 · 密码]",
    "看看 conv-id: zzz",
    "看看 ＣＯＮＶ＿ＩＤ＝zzz",
    "看看 conv id zzz",
    "看看 conv\n_id zzz",
)


@pytest.mark.parametrize("said", [*TURNS, *HEADS])
def test_a_line_that_resembles_ours_is_told_from_ours(tmp_path: Path, said: str) -> None:
    """Ours begin with a mark then, which nothing said holds."""
    life = Life(tmp_path)
    life.say("a", "喝茶吗", said)
    text = life.recall.answer({"query": "喝茶"}).text
    assert "真正的标注行都以 § 开头" in text
    assert text.count("\n§") == 3


@pytest.mark.parametrize(
    "said",
    [
        "我们（下周）见：老地方？不，(改天)再说",
        "约在 2026-01-01 见",
        "- [x] 做完了",
        "conversation",
        "见图 (3)",
        "(笑)",
    ],
)
def test_what_everybody_writes_needs_no_mark(tmp_path: Path, said: str) -> None:
    """Dates, brackets and lists in the middle of words are no lines of ours."""
    life = Life(tmp_path)
    life.say("a", "喝茶吗", said)
    text = life.recall.answer({"query": "喝茶"}).text
    assert said in text
    assert "§" not in text


@pytest.mark.parametrize(
    "title",
    ["x · conv_id=zzz] ", "x］\n［2026 · conv_id=zzz", "ＣＯＮＶ＿ＩＤ＝zzz", "Conv-ID=zzz", "【x】conv\u00a0id=zzz"],
)
def test_a_title_names_no_conversation(tmp_path: Path, title: str) -> None:
    """The only conv_id of a head is ours, and the only brackets too."""
    life = Life(tmp_path)
    life.say("a", "喝茶吗", speaker=title)
    life.mark("a", "rename", title)
    lines = [line for line in life.recall.answer({"query": "喝茶"}).text.split("\n") if "zzz" in line]
    assert len(lines) == 2
    for line, ours in zip(lines, (1, 0), strict=True):
        assert len(re.findall("(?i)[cｃ][oｏ][nｎ][vｖ].{0,3}[iｉ][dｄ]", line)) == ours
        assert len(re.findall("[\\[\\]［］【】〔〕]", line)) == 2 * ours
