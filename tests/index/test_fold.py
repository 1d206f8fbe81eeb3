import sys
import unicodedata

import opencc
from hypothesis import example, given
from hypothesis import strategies as st

from paramecium.index.fold import find_all, fold, offsets, source_range
from paramecium.index.simplified import SIMPLIFIED

TEXTS = st.text(
    st.characters(exclude_categories=[]) | st.sampled_from("臺灣後后裡ＡｂİßﬁﷺéΣς㍿\0\ud800乾薴"), max_size=30
)


def test_the_table_equals_opencc_on_every_single_character() -> None:
    """Holds the committed pairs to OpenCC's t2s, for every character that NFKC leaves as it is."""
    chars = [chr(c) for c in range(1, sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF and c != ord("\n")]
    simplified = opencc.OpenCC("t2s").convert("\n".join(chars)).split("\n")
    assert len(simplified) == len(chars)
    made = {
        ord(c): s for c, s in zip(chars, simplified, strict=True) if c != s and unicodedata.is_normalized("NFKC", c)
    }
    assert made == SIMPLIFIED


def test_every_character_keeps_a_place_and_is_folded_to_the_end() -> None:
    """Folds each character of Unicode to at least one, and the folded ones to themselves."""
    for code in range(sys.maxunicode + 1):
        once = fold(chr(code))
        assert once
        assert fold(once) == once


def test_spellings_of_one_word_are_equal() -> None:
    """Makes traditional and simplified, full and half width, upper and lower case equal."""
    assert fold("臺灣後來的圖書館") == fold("台湾后来的图书馆")
    assert fold("ＤｅＰＬＯＹ１２３") == "deploy123"
    assert fold("Straße") == fold("STRASSE")
    assert fold("㍿") == "株式会社"


def test_never_by_phrase() -> None:
    """Folds 乾 alike in 乾隆 and 乾燥, where OpenCC's phrases differ."""
    assert fold("乾隆")[0] == fold("乾燥")[0] == fold("乾")


def test_what_is_no_text_stays() -> None:
    """Leaves NUL, lone surrogates, emoji with joiners and U+2028 as they are."""
    text = "\0\ud800\udc00👨‍👩‍👧‍👦👍🏽\u2028\r\n"
    assert fold(text) == text


@given(TEXTS, TEXTS)
def test_folding_is_one_character_at_a_time(a: str, b: str) -> None:
    """Gives the same for a text as for its pieces."""
    assert fold(a + b) == fold(a) + fold(b)
    assert fold(fold(a)) == fold(a)


@given(TEXTS)
@example("ﷺﬁ後")
def test_each_folded_character_knows_its_source(text: str) -> None:
    """Keeps offsets in order, with none left out, and each folded character within the fold of its source."""
    folded, places = fold(text), offsets(text)
    assert len(places) == len(folded) + 1
    assert places == sorted(places)
    assert sorted(set(places)) == list(range(len(text) + 1))
    assert all(folded[i] in fold(text[places[i]]) for i in range(len(folded)))


@given(TEXTS, st.data())
def test_what_is_cut_from_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    """Finds each cut of a text, and its source range folds to something that holds it."""
    start = data.draw(st.integers(0, len(text)))
    query = fold(text[start : start + 3])
    found = find_all(fold(text), query, 1000)
    assert bool(found) == bool(query)
    for at in found:
        begin, end = source_range(offsets(text), at, len(query))
        assert query in fold(text[begin:end])


def test_finding_is_bounded_and_without_overlap() -> None:
    """Finds 哈哈 twice in four, once with a limit of one, and nothing for an empty query or an absent one."""
    assert find_all("哈哈哈哈", "哈哈", 10) == [0, 2]
    assert find_all("哈哈哈哈", "哈哈", 1) == [0]
    assert find_all("哈哈哈哈", "", 10) == []
    assert find_all("哈哈哈哈", "呵", 10) == []
