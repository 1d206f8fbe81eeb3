"""A message is either in the full text or in one young part."""

from pathlib import Path

import pytest

from paramecium.index.segment import Segment
from paramecium.recall.young import YoungParts
from tests.recall.lives import Life, talkative


def test_each_message_is_covered_or_young(tmp_path: Path) -> None:
    """Full text and young parts share all messages among them, newest last."""
    life = Life(tmp_path)
    for step in (life.build, life.ingest, lambda: None):
        talkative(life, len(life.said), 40, 4)
        step()
        view = life.views.view()
        young = [place for part in view.young for place in part.places]
        covered = view.fulltext.places() if view.fulltext else frozenset()
        assert len(young) == len(set(young))
        assert set(young) | covered == set(life.said)
        assert not set(young) & covered
        for part in view.young:
            assert list(zip(part.days, part.places, strict=True)) == sorted(zip(part.days, part.places, strict=True))


def test_a_segment_is_folded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as segment and full text stay the same, its texts are not read again."""
    life = Life(tmp_path)
    talkative(life, 1, 20, 2)
    life.ingest()
    view = life.views.view()
    parts = YoungParts()
    (made,) = parts.of(view.segments, None, "", ())
    read: list[Segment] = []
    texts = Segment.texts

    def counting(self: Segment) -> object:
        read.append(self)
        return texts(self)

    monkeypatch.setattr(Segment, "texts", counting)
    assert parts.of(view.segments, None, "", ())[0] is made
    assert read == []
    assert parts.of(view.segments, None, "another", ())[0] is not made
    assert read == list(view.segments)
    assert parts.of((), None, "", ()) == []


def test_a_few_young_messages_of_a_large_segment_are_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When most of a segment is in the full text, only the texts of the others are decoded."""
    life = Life(tmp_path)
    talkative(life, 1, 40, 2)
    life.build()
    life.say("t0", "新的一句")
    life.ingest()
    read: list[int] = []
    text = Segment.text

    def counting(self: Segment, m: int) -> str:
        read.append(m)
        return text(self, m)

    monkeypatch.setattr(Segment, "text", counting)
    (part,) = life.views.view().young
    assert part.places == (("t0", life.tails["t0"] - 1),)
    assert len(read) == 1
