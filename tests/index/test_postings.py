from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paramecium.index.fold import fold
from paramecium.index.postings import Inversion, PostingList, decode, gram_key, term_key, word_key
from paramecium.index.words import words_of

TEXTS = st.text(st.sampled_from("我的猫猫茶ab1 。😂\u200d\ud83d\ude00\0\n\U0010ffff"), max_size=12).map(fold)


def inverted(folder: Path, texts: list[str], run_chars: int, range_postings: int) -> list[PostingList]:
    """Returns all postings of the texts, each row named by its place."""
    inversion = Inversion(folder, run_chars, range_postings)
    for text in texts:
        inversion.add(text)
    return list(inversion.postings(np.arange(len(texts), dtype=np.uint32)))


def naive(texts: list[str]) -> dict[int, dict[int, int]]:
    """Returns key → row → count, by going through the texts."""
    out: dict[int, dict[int, int]] = {}
    for row, text in enumerate(texts):
        grams = [text[i : i + size] for size in (1, 2) for i in range(len(text) - size + 1)]
        for key, count in Counter([*map(gram_key, grams), *map(word_key, words_of(text))]).items():
            out.setdefault(key, {})[row] = count
    return out


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXTS, max_size=12))
def test_postings_are_what_the_texts_hold_however_they_are_cut(tmp_path: Path, texts: list[str]) -> None:
    """Finds every character, pair and word with its rows and counts; small runs and ranges give the same bytes."""
    whole = inverted(tmp_path, texts, 1 << 19, 1 << 20)
    assert [p.key for p in whole] == sorted(naive(texts))
    for postings in whole:
        rows, counts = decode(postings)
        assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == naive(texts)[postings.key]
    assert inverted(tmp_path, texts, 7, 1) == whole


def test_many_runs_and_ranges_give_the_same_bytes(tmp_path: Path) -> None:
    """Merges hundreds of runs in many ranges of keys to what one run gives, with deflated lists among them."""
    texts = [chr(0x4E00 + i * 7 % 5000) + chr(0x4E00 + i % 50) + "的" * (i % 3) for i in range(6000)]
    whole = inverted(tmp_path, texts, 1 << 19, 1 << 20)
    assert inverted(tmp_path, texts, 64, 1024) == whole
    rows, counts = decode(next(p for p in whole if p.key == gram_key("的")))
    assert rows.tolist() == [i for i in range(6000) if i % 3]
    assert counts.tolist() == [i % 3 for i in range(6000) if i % 3]


def test_rows_are_renamed(tmp_path: Path) -> None:
    """Gives each row its new name and keeps the lists ascending."""
    inversion = Inversion(tmp_path)
    for text in ("猫", "狗", "猫猫"):
        inversion.add(text)
    lists = {p.key: p for p in inversion.postings(np.array([2, 0, 1], np.uint32))}
    rows, counts = decode(lists[gram_key("猫")])
    assert (rows.tolist(), counts.tolist()) == ([1, 2], [2, 1])


def test_nothing_and_empty_texts_have_no_postings(tmp_path: Path) -> None:
    """Makes no list of no text or of empty ones, and keeps their rows."""
    assert inverted(tmp_path, [], 8, 8) == []
    assert inverted(tmp_path, ["", ""], 8, 8) == []
    assert decode(inverted(tmp_path, ["", "", "猫"], 8, 8)[0])[0].tolist() == [2]


def test_gaps_are_kept_in_the_narrowest_width(tmp_path: Path) -> None:
    """Keeps differences of 1, 2 or 4 bytes and reads them back."""
    for gap, width in ((3, 1), (300, 2), (70_000, 4)):
        texts = ["猫", *[""] * (gap - 1), "猫"]
        (postings,) = inverted(tmp_path, texts, 1 << 19, 1 << 20)
        assert len(postings.rows) == 2 * width
        assert decode(postings)[0].tolist() == [0, gap]


def test_a_word_is_not_the_pair_of_its_letters() -> None:
    """Tells the word ai from the letters a, i inside rain, and characters from pairs."""
    assert term_key("ai") == word_key("ai") != gram_key("ai")
    assert term_key("爱你") == gram_key("爱你")
    assert len({gram_key("a"), gram_key("\0a"), gram_key("a\0"), gram_key("\0"), gram_key("\0\0")}) == 5


def test_bytes_that_are_no_postings_are_refused() -> None:
    """Raises ValueError when rows or counts are not as many as the list says."""
    with pytest.raises(ValueError, match="are not 3"):
        decode(PostingList(1, 3, b"\1\1", None))
    with pytest.raises(ValueError, match="are not 2"):
        decode(PostingList(1, 2, b"\1\1", b"\1"))
