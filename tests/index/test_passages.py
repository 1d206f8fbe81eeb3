"""Passages partition a text into runs of whole sentences, and never cut what a person sees as one character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.index.passages import PASSAGE_CHARS_MAX, is_grapheme_boundary, passages
from tests.index.fakes_life import ANY_TEXT

ENDS, CLOSERS = "。！？!?；;…\n", "」』”’）)】》〉"
LONG = st.builds(
    lambda parts: "".join(text * times for text, times in parts), st.lists(st.tuples(ANY_TEXT, st.integers(1, 99)))
)
SENTENCES = st.lists(st.text("我们好，、。！？；…\n」』”（ \u3000", min_size=1, max_size=20)).map(
    lambda parts: "".join(parts * 9)
)


def _cut(text: str) -> list[str]:
    return [text[start:end] for start, end in passages(text)]


def _sentence_ends(text: str) -> list[int]:
    """Returns where sentences end, read one character at a time: the plain form of the rule."""
    ends, i = [], 0
    while i < len(text):
        ended = text[i] in ENDS
        i += 1
        while ended and i < len(text) and text[i] in ENDS + CLOSERS:
            i += 1
        while ended and i < len(text) and text[i].isspace():
            i += 1
        if ended:
            ends.append(i)
    return [*ends, len(text)] if len(text) not in ends else ends


@given(st.one_of(ANY_TEXT, LONG))
def test_passages_give_back_every_character(text: str) -> None:
    """Joined, the passages are the text, whatever stands in it; each has 1 to 350 characters."""
    parts = _cut(text)
    assert "".join(parts) == text
    assert all(1 <= len(part) <= PASSAGE_CHARS_MAX for part in parts)
    assert passages(text) == passages(text)


def test_nothing_has_no_passage() -> None:
    """The empty text has none, one character has one."""
    assert passages("") == ()
    assert passages("嗯") == ((0, 1),)


@given(SENTENCES)
def test_a_boundary_lies_between_sentences(text: str) -> None:
    """A passage ends inside a sentence only if that sentence is longer than a passage may be."""
    ends = _sentence_ends(text)
    begins = [0, *ends[:-1]]
    for _, end in passages(text):
        within = [(b, e) for b, e in zip(begins, ends, strict=True) if b < end < e]
        assert all(e - b > PASSAGE_CHARS_MAX for b, e in within)


@given(SENTENCES)
def test_sentences_are_packed_greedily(text: str) -> None:
    """The sentence that follows a passage would not have found room in it."""
    ends = _sentence_ends(text)
    for start, end in passages(text)[:-1]:
        if end in ends:
            assert ends[ends.index(end) + 1] - start > PASSAGE_CHARS_MAX


@pytest.mark.parametrize(
    "sentence",
    [
        "他说：“好！！”　　",
        "真的吗？！」』",
        "我想想……",
        "Well... ",
        'He said "no." ',
        "行;",
        "一行\r\n\r\n",
        '"Stop!" ',
    ],
)
def test_what_follows_a_sentence_belongs_to_it(sentence: str) -> None:
    """Closing quotes, brackets, repeated marks and white space stay with the sentence they end."""
    text = sentence + "字" * (PASSAGE_CHARS_MAX - len(sentence) + 1)
    assert _cut(text) == [sentence, text[len(sentence) :]]


@pytest.mark.parametrize("word", ["3.14", "Mr. Wang", "e.g. this", "J. S. Bach", "paramecium.toml"])
def test_a_dot_within_a_word_ends_no_sentence(word: str) -> None:
    """Numbers, initials, titles, names of files and numbers of a list are not torn apart at their dot."""
    first, second = "字" * 200 + "。", "字" * 100 + "{}" + "字" * 100 + "。"
    assert _cut(first + second.format("to end. Then")) == [first + "字" * 100 + "to end. ", "Then" + "字" * 100 + "。"]
    assert _cut(first + second.format(word)) == [first, second.format(word)]


def test_the_number_of_a_list_stays_with_its_line() -> None:
    """A passage does not end between a number and what it counts."""
    first, second = "字" * 340 + "\n", "12. " + "字" * 200
    assert _cut(first + second) == [first, second]


def test_a_long_sentence_is_cut_at_a_clause() -> None:
    """The last comma or space that fits is the place; a comma within a number or the colon of an address is none."""
    assert _cut("字" * 300 + "，" + "字" * 100)[0] == "字" * 300 + "，"
    assert _cut("word " * 100)[0] == "word " * 70
    assert _cut("看这个 https://a.example/" + "x" * 400)[0] == "看这个 "
    assert _cut("约" + "1,000" * 100)[0] == ("约" + "1,000" * 100)[:350]
    assert [len(part) for part in _cut("字" * 800)] == [350, 350, 100]


@pytest.mark.parametrize(
    "cluster",
    [
        "👨\u200d👩\u200d👧\u200d👦", "👍\U0001f3fd", "❤\ufe0f", "1\ufe0f\u20e3", "🇨🇳",
        "e\u0301\u0323", "\u1112\u1161\u11ab",
        "क्षि", "กำ", "\ud83d\ude00", "🏴\U000e0067\U000e0062\U000e007f", "ｶﾞ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "字", "字字", "字字字", "字字字字"])
def test_no_character_is_torn(cluster: str, before: str) -> None:
    """A family, a flag, a letter with its marks, a pair of surrogates is cut before or behind, never within."""
    text = before + cluster * 400
    edges = {len(before) + i * len(cluster) for i in range(401)}
    assert {end for _, end in passages(text)} <= edges
    assert is_grapheme_boundary(text, len(before) + len(cluster), len(before))


def test_a_chain_longer_than_a_passage_is_cut_hard() -> None:
    """400 people joined to one character still become passages of at most 350."""
    text = "👩\u200d" * 400
    assert [len(part) for part in _cut(text)] == [350, 350, 100]


def test_a_mark_after_a_stop_is_not_torn_off() -> None:
    """A variation selector behind an exclamation mark stays with it; a line's end is a boundary whatever follows."""
    text = "走" + "!\ufe0f" * 400
    assert all(not part.startswith("\ufe0f") for part in _cut(text))
    assert is_grapheme_boundary("\n\u0301", 1)
    assert not is_grapheme_boundary("\r\n", 1)
