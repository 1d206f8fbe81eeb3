"""Characters cut in two are made whole before anybody sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.messages import whole
from paramecium.upstream.halves import Halves


def fed(*pieces: str) -> list[str]:
    """Returns what comes out for each piece, and at the end."""
    halves = Halves()
    return [*(halves.feed(p) for p in pieces), halves.flush()]


@pytest.mark.parametrize(
    ("pieces", "out"),
    [
        (["好\ud83d", "\ude00吗"], ["好", "😀吗", ""]),
        (["\ud83d", "", "\udc80"], ["", "", "💀", ""]),
        (["a\ud83d", "b"], ["a", "\ud83db", ""]),
        (["a\ud83d"], ["a", "\ud83d"]),
        (["\ude00\ud83d"], ["\ude00", "\ud83d"]),
        (["\udce4", "\udcbd\udca0好"], ["", "你好", ""]),
        (["\udce4\udcbd", "\udca0"], ["", "你", ""]),
        (["\udcf0\udc9f\udc98", "\udc80"], ["", "😀", ""]),
        (["\udcff"], ["\udcff", ""]),
        (["\udce4", "x"], ["", "\udce4x", ""]),
    ],
)
def test_holds_back_half_a_character(pieces: list[str], out: list[str]) -> None:
    """A half waits for the other half; one that waits in vain comes out as it came."""
    assert fed(*pieces) == out


@given(st.text(st.characters(codec=None)), st.data())
def test_joined_pieces_are_the_whole_text(text: str, data: st.DataObject) -> None:
    """However a text is cut, what comes out joined is the text, and no piece ends inside a pair."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    raw = text.encode("utf-16", "surrogatepass")
    units = [raw[2:][i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(raw) - 2, 2)]
    cuts = sorted(min(c, len(units)) for c in cuts)
    pieces = ["".join(units[a:b]) for a, b in zip([0, *cuts], [*cuts, len(units)], strict=True)]
    out = fed(*pieces)
    assert "".join(out) == fed(whole(text))[0] + fed(whole(text))[1]
    assert whole("".join(out)) == "".join(out)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_bytes_cut_anywhere_become_the_text_again(text: str, data: st.DataObject) -> None:
    """The bytes of a text, cut anywhere and escaped, come out as the text."""
    body = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6)))
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    assert "".join(fed(*(p.decode("utf-8", "surrogateescape") for p in pieces))) == text
