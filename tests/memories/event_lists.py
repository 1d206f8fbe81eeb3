"""Random events of every kind over a few memories, for properties."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from paramecium.memories.events import (
    Added,
    Corrected,
    Event,
    Forgotten,
    Later,
    Note,
    Pinned,
    Recalled,
    Retired,
    Revived,
    Superseded,
    Unpinned,
    Unretired,
    ValidityChanged,
    What,
)

IDS = tuple(f"m-{i}" for i in range(6))
ids = st.sampled_from(IDS)
_texts = st.text(st.characters(), max_size=8)


def note(ident: str, **fields: Any) -> Note:
    """Returns a note whose words name it."""
    return Note(ident, f"{ident}的内容", f"{ident}的原话", "maobao", "m", 0, 0, 6)._replace(**fields)


def events_of(*whats: What) -> list[Event]:
    """Returns an event for each, with ids and times of their own, in order."""
    return [Event(f"e-{i:05d}", f"2026-06-{1 + i % 28:02d}T10:00:00+08:00", "person", w) for i, w in enumerate(whats)]


_notes = st.builds(note, ids, content=_texts, quote=_texts, date=_texts, n=st.integers(0, 99))
_contexts = st.none() | st.fixed_dictionaries({"model": _texts, "vector": _texts})
_windows = st.lists(st.fixed_dictionaries({"conversation": _texts, "start": st.integers()}), max_size=2).map(tuple)

whats: st.SearchStrategy[What] = st.one_of(
    st.builds(Added, _notes),
    st.builds(Superseded, ids, ids, st.sampled_from(["updates", "hand"]), st.floats(0, 1)),
    st.builds(Revived, ids, st.just("") | ids),
    *(st.builds(kind, ids) for kind in (Pinned, Unpinned, Retired, Unretired, Forgotten)),
    st.builds(Corrected, ids, _texts),
    st.builds(ValidityChanged, ids, _texts, _texts),
    st.builds(
        Recalled,
        st.lists(ids, max_size=5).map(tuple),
        _windows,
        _texts,
        st.sampled_from(["", "a", "b"]),
        _texts,
        _texts,
        _contexts,
    ),
    st.builds(Later, st.just("Merged"), st.dictionaries(st.sampled_from(["x", "y"]), _texts)),
)
_adding = st.permutations(IDS).map(lambda order: [Added(note(i)) for i in order])


def _numbered(parts: tuple[Sequence[What], Sequence[What], Sequence[int]]) -> list[Event]:
    """Some of the ids come twice, as when a writer did not hear that its event stands."""
    whats = [*parts[0], *parts[1]]
    numbers = dict(enumerate(range(len(whats)))) | {n: n - 1 for n in parts[2] if 0 < n < len(whats)}
    made = events_of(*whats)
    return [made[numbers[i]] for i in range(len(whats))]


event_lists = st.tuples(
    _adding | st.just([]), st.lists(whats, max_size=30), st.lists(st.integers(0, 40), max_size=4)
).map(_numbered)
