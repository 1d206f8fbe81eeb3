"""A quote stands in a message as it was said, give or take white space and width, or it is none."""

import sys
import unicodedata
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paramecium.index.passages import is_grapheme_boundary
from paramecium.memories.events import Note
from paramecium.memories.quotes import find_quote, fold, memory_id, stands
from paramecium.messages import encodable, whole
from tests.index.fakes_life import ANY_TEXT

NO_WIDTH: Final = "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
NOISE: Final = (" ", "\n", "\r\n", "\t", "\u3000", "\u00a0", "\u2028", "\u0085", *NO_WIDTH)
PIECES: Final = (
    *"我们昨天去海边喝了一杯龙井她说好，。！？；：「」『』…—",
    *"ａＺ０９～！ aZ09~!(),.:%",
    *NOISE,
    "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "🇨🇳", "e\u0301", "क्ष", "שלום",
    "مرحبا", "\ud83d", "\udbff", "\0", "\ufffd", "𠮷",
)  # fmt: skip
# Of pairs only first halves: two that a space parts would be another character once the space is lost.
# Bytes are drawn fast, which 5,000 cases need: one picks a piece, or a place and a noise.
PICKS: Final = st.binary(min_size=20, max_size=50)
CHANGES: Final = st.binary(max_size=6).map(lambda picks: [(b * 7, NOISE[b % len(NOISE)]) for b in picks])


def plain(text: str) -> str:
    """Returns the text folded the plain way, from the rule's own words."""
    kept = (char for char in encodable(text) if not char.isspace() and char not in NO_WIDTH)
    return "".join(chr(ord(char) - 0xFEE0) if "！" <= char <= "～" else char for char in kept)


def other_width(char: str) -> str:
    """Returns the same character in its other width, if it has one."""
    if "！" <= char <= "～":
        return chr(ord(char) - 0xFEE0)
    return chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char


def rewritten(quote: str, changes: list[tuple[int, str]]) -> str:
    """Returns the quote as a model may copy it: spaces and breaks lost and added, widths changed."""
    chars = [char for i, char in enumerate(quote) if not (char.isspace() and (i + len(changes)) % 2)]
    for place, noise in changes:
        at = place % (len(chars) + 1)
        chars.insert(at, noise)
        chars[at - 1] = other_width(chars[at - 1])
    return "".join(chars)


def altered(quote: str, way: int, at: int) -> str:
    """Returns the folded quote with one character exchanged, dropped, doubled, or swapped with the next."""
    at %= len(quote) - 1
    a, b = quote[at], quote[at + 1]
    return quote[:at] + (f"他{b}", b, a + a + b, b + a)[way] + quote[at + 2 :]


@settings(max_examples=5000, deadline=None)
@given(PICKS, st.integers(0, 60), st.integers(10, 40), CHANGES, st.integers(0, 3), st.integers(0, 200))
def test_a_quote_verifies_and_an_altered_one_does_not(
    picks: bytes, begin: int, length: int, changes: list[tuple[int, str]], way: int, at: int
) -> None:
    """Words cut from a message are found, and given back as the message's own; one character otherwise, and not."""
    text = whole("龙井" * 5 + "".join(PIECES[pick % len(PIECES)] for pick in picks))
    places = [i for i, char in enumerate(text) if plain(char)]
    length = min(length, len(places))
    begin %= len(places) - length + 1
    chosen = places[begin : begin + length]
    quote = rewritten(text[chosen[0] : chosen[-1] + 1], changes)

    found = find_quote(quote, text)

    assert found is not None
    first = plain(text).find(plain(quote))
    exact = places[first], places[first + len(chosen) - 1] + 1
    assert found[0] <= exact[0] < exact[1] <= found[1]
    assert all(edge in (0, len(text)) or is_grapheme_boundary(text, edge) for edge in found)
    assert plain(text[found[0] : found[1]]).count(plain(quote)) >= 1
    if all(edge in (0, len(text)) or is_grapheme_boundary(text, edge) for edge in exact):
        assert found == exact
    wrong = altered(plain(quote), way, at)
    if plain(wrong) not in plain(text):
        assert find_quote(wrong, text) is None
        assert find_quote(rewritten(wrong, changes), text) is None


@given(ANY_TEXT)
@example("\ud83d\ude00 \0 \u2028\ufeff")
@example("".join(map(chr, range(0xFEF0, 0xFFF0))))
def test_folding_is_the_rule(text: str) -> None:
    """White space and what has no width are gone, full width is half, and halves are as the model was given them."""
    assert fold(text) == plain(text)


def test_all_white_space_of_unicode_is_removed() -> None:
    """No space of any script stays, and of what is removed beside them nothing can be seen."""
    everything = [chr(code) for code in range(sys.maxunicode + 1)]
    gone = {char for char in everything if not fold(char)}
    assert {char for char in everything if char.isspace()} <= gone
    assert {unicodedata.category(char) for char in gone if not char.isspace()} == {"Cf"}
    assert not gone & set("\u200c\u200d\ufe0f\ufe0e")


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_may_be_asked_for(quote: str, text: str) -> None:
    """Whatever stands in them, the answer is none or a range of the message that holds the quote."""
    found = find_quote(quote, text)
    if found is not None:
        assert 0 <= found[0] < found[1] <= len(text)
        assert plain(quote) in plain(text[found[0] : found[1]])


@pytest.mark.parametrize(("length", "is_found"), [(9, False), (10, True), (40, True), (41, False)])
def test_a_quote_has_10_to_40_characters(length: int, is_found: bool) -> None:
    """Counted after folding: spaces that are put between them make no quote longer."""
    text = "今天" + "".join(map(chr, range(0x4E10, 0x4E10 + 60)))
    quote = text[2 : 2 + length]
    assert quote in text
    assert (find_quote(quote, text) is not None) is is_found
    assert (find_quote(" ".join(quote), text) is not None) is is_found


@pytest.mark.parametrize(
    ("text", "is_found"), [("我爱你", False), ("我爱你！", True), (" 我 爱 你 \n", False), ("好" * 60, True)]
)
def test_a_whole_message_of_4_is_a_quote(text: str, is_found: bool) -> None:
    """However short or long it is beyond that."""
    found = find_quote(text, text)
    assert (found is not None) is is_found


def test_a_part_of_a_short_message_is_none() -> None:
    """Eight of nine characters are neither the message nor long enough."""
    assert find_quote("我最喜欢龙井茶了", "我最喜欢龙井茶了！") is None
    assert find_quote("我最喜欢龙井茶了!", "我最喜欢龙井茶了！") == (0, 9)


def test_the_first_of_several_places_is_meant() -> None:
    """Said twice in a message, a quote stands where it was said first."""
    text = "好。明天一起去看海好不好，明天一起去看海好不好"
    assert find_quote("明天一起去看海好不好", text) == (2, 12)


@pytest.mark.parametrize(
    ("quote", "text", "own"),
    [
        ("她说:明天(周三)去吗?", "嗯，她说：明天（周三）去吗？好", "她说：明天（周三）去吗？"),
        (
            "我们在海边看了一整夜的星",
            "我们在\n\n海边\u3000看了 一整夜\u2028的星星",
            "我们在\n\n海边\u3000看了 一整夜\u2028的星",
        ),
        ("I love green tea", "Ｉ\u00a0love  green\ttea!", "Ｉ\u00a0love  green\ttea"),
        ("一家人去海边玩得真开心👍", "一家人去海边玩得真开心👍🏽！", "一家人去海边玩得真开心👍🏽"),
        ("\u0301 是法语里的一个小小记号", "这个e\u0301是法语里的一个小小记号", "e\u0301是法语里的一个小小记号"),
        ("这里有半个字\ufffd在中间呢", "这里有半个字\ud83d在中间呢", "这里有半个字\ud83d在中间呢"),
        ("这里有个空字\ufffd在中间呢", "这里有个空字\0在中间呢。", "这里有个空字\0在中间呢"),
        ("笑脸分成两半😀也是一个字", "笑脸分成两半\ud83d\ude00也是一个字。", "笑脸分成两半\ud83d\ude00也是一个字"),
        ("אני אוהב תה ירוק", "\u200fאני אוהב\u200f תה ירוק\u200f", "אני אוהב\u200f תה ירוק"),
    ],
    ids=["width", "breaks", "latin", "skin tone", "accent", "half", "nul", "pair apart", "right to left"],
)
def test_what_comes_back_is_the_messages_own(quote: str, text: str, own: str) -> None:
    """The characters of the message, from the first to the last matched, whole as a person sees them."""
    found = find_quote(quote, text)
    assert found is not None
    assert text[found[0] : found[1]] == own


@pytest.mark.parametrize(
    "quote",
    [
        "一家人👨👩\u200d👧去海边玩了两天", "一家人👨\u200d👩\u200d👧去海边玩了三天",
        "一家人👨\u200d👩\u200d👧去海边玩了两天。",
        "一家人👨\u200d👩\u200d👦去海边玩了两天", "一家人👨\u200d👩\u200d👧去海邊玩了两天",
    ],
)  # fmt: skip
def test_what_is_seen_otherwise_is_otherwise(quote: str) -> None:
    """A lost joiner, another mark, another form of a character: not what was said."""
    text = "那年一家人👨\u200d👩\u200d👧去海边玩了两天，"
    assert find_quote("一家人👨\u200d👩\u200d👧去海边玩了两天", text) is not None
    assert find_quote(quote, text) is None


def test_a_heap_of_accents_is_not_swallowed() -> None:
    """Where no character begins within 16 steps the range stays as it was matched."""
    text = "我们明天一起去看海吧a" + "\u0301" * 100
    assert find_quote("我们明天一起去看海吧a", text) == (0, 11)


def _note(quote: str, start: int) -> Note:
    end = start + len(quote)
    return Note(memory_id("c1", "m1", start, end, quote), "他爱喝龙井", quote, "c1", "m1", 0, start, end)


def test_the_same_words_at_the_same_place_are_the_same_memory() -> None:
    """An id tells conversation, message, place and words; two notes differ if any of these does."""
    ids = {
        memory_id("c1", "m1", 0, 4, "我爱龙井"), memory_id("c2", "m1", 0, 4, "我爱龙井"),
        memory_id("c1", "m2", 0, 4, "我爱龙井"), memory_id("c1", "m1", 1, 5, "我爱龙井"),
        memory_id("c1", "m1", 0, 4, "我爱\ud83d井"),
    }  # fmt: skip
    assert len(ids) == 5
    assert memory_id("c1", "m1", 0, 4, "我爱龙井") == "m-c14720788b4910aebe224996"


def test_a_note_stands_on_its_message_alone() -> None:
    """Its quote is there, word for word, at its place, under its id."""
    text = "好，我最喜欢的还是龙井茶啊"
    note = _note("我最喜欢的还是龙井茶", 2)
    assert stands(note, text)
    assert not stands(note, "嗯" + text)
    assert not stands(note, text.replace("龙井", "毛尖"))
    assert not stands(note._replace(id=memory_id("c1", "m2", 2, 12, note.quote)), text)
    assert not stands(_note("", 2), text)
    assert not stands(note._replace(start=-len(text) + 2), text)
