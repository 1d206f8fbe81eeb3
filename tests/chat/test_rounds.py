"""What of a turn is stored: recalled words as references, and the exact text back from them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from paramecium.chat.rounds import GONE, has_recalled, joined, keep, restore
from paramecium.messages import Json, dump_json, load_json, whole
from tests.chat.fakes_chat import Piece

TEXTS = st.text(st.characters(codec=None)).map(whole)


def quoted(texts: dict[str, str], message: str, start: int, end: int) -> Piece:
    """Returns a quotation of a message."""
    words = {"conversation": "c", "message": message, "n": int(message), "start": start, "end": end}
    return Piece(texts[message][start:end], words)


def words_of(texts: dict[str, str]) -> Any:
    """Returns the function that finds the words of some messages."""

    def words(conv: str, n: int, message: str, start: int, end: int) -> str | None:
        assert (conv, n) == ("c", int(message))
        return texts[message][start:end] if message in texts else None

    return words


def rounds(parts: list[Piece]) -> list[Json]:
    """Returns the rounds of a turn with one look-up."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": joined(parts), "is_error": True}
    use = {"type": "tool_use", "id": "t", "name": "recall", "input": {"query": "雪"}}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


@given(st.lists(TEXTS, min_size=1, max_size=3), st.data())
def test_what_is_kept_comes_back_exactly(messages: list[str], data: st.DataObject) -> None:
    """Through JSON and back, any mixture of our words and quotations is restored character for character."""
    texts = {str(i): t for i, t in enumerate(messages)}
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        name = data.draw(st.sampled_from(sorted(texts)))
        start = data.draw(st.integers(0, len(texts[name])))
        end = data.draw(st.integers(start, len(texts[name])))
        parts += [Piece(data.draw(TEXTS)), quoted(texts, name, start, end)]
    kept = load_json(dump_json(keep(rounds(parts), {(1, 0): parts})))
    assert has_recalled(kept)
    assert list(restore(kept, words_of(texts))) == rounds(parts)


def test_quoted_words_stand_nowhere_in_what_is_kept() -> None:
    """The quotation is a reference; our own words around it are kept as they are."""
    texts = {"0": "外婆的枇杷树"}
    parts = [Piece("2024：\n"), quoted(texts, "0", 3, 6)]
    kept = keep(rounds(parts), {(1, 0): parts})
    result = kept[1]["content"][0]
    assert "枇杷" not in str(kept)
    assert result["is_error"]
    assert result["content"]["parts"] == [{"text": "2024：\n"}, parts[1].words]


def test_words_that_are_gone_or_changed_take_the_whole_result_with_them() -> None:
    """One word missing or different, and the result is one fixed sentence; the call is still answered."""
    texts = {"0": "枇杷", "1": "树"}
    parts = [quoted(texts, "0", 0, 2), quoted(texts, "1", 0, 1)]
    kept = keep(rounds(parts), {(1, 0): parts})
    assert restore(kept, words_of(texts))[1]["content"][0]["content"] == "枇杷树"
    for changed in ({"0": "枇杷"}, {"0": "枇杷", "1": "叶"}, {}):
        (result,) = restore(kept, words_of(changed))[1]["content"]
        assert result == {"type": "tool_result", "tool_use_id": "t", "content": GONE, "is_error": True}


def test_a_result_without_quotations_is_kept_as_it_is() -> None:
    """Our own words alone are no references, and rounds without them are not touched."""
    parts = [Piece("没有找到")]
    kept = keep(rounds(parts), {(1, 0): parts})
    assert list(kept) == rounds(parts)
    assert not has_recalled(kept)
    assert restore(kept, words_of({})) == kept
