"""A state as columns: numbers and numbers of texts (see `pool`), so that 20,000 memories are read in a moment.

    memory   u4 (14 × N)   the texts of a note and of what became of it, column by column (`_NOTE`, `_MEMORY`)
    moment   u4 (5 × K)    conversation, message, at, context's model and vector (or None and the whole as JSON)
    opened, opened_ends    ids each moment opened, one after the other, and where those of each end
    last, last_of, last_ends   what each conversation opened last
    forgotten, seen        ids
    numbers  i8 (4 × N)    n, start, end and recalled, column by column

The header holds `upto`, `memories`, `pinned` and `retired` (positions), and the columns of numbers of which one is too
large for 64 bits (`large`, else none).
The edges stand in the block's neighbours. Knows nothing of stores. Pure.
Invariant: `read(write(state)) == state`.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise, repeat
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import Damaged
from paramecium.memories.events import Note
from paramecium.memories.making import Neighbours
from paramecium.memories.pool import Pool, PoolWriter
from paramecium.memories.state import Edge, Memory, Moment, State
from paramecium.messages import Json, dump_json, load_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTE: Final = ("id", "content", "quote", "conversation", "message", "date", "said_at", "speaker", "role")
_MEMORY: Final = ("added_at", "superseded_by", "fact", "valid_from", "valid_until")
_NUMBERS: Final = ("n", "start", "end", "recalled")
_LARGE: Final = 2**63
_MOMENT: Final = 5
DTYPES: Final = dict.fromkeys(
    ("memory", "moment", "opened", "opened_ends", "last", "last_of", "last_ends", "forgotten", "seen"), "<u4"
) | {"numbers": "<i8"}


class Edges(Mapping[Edge, int]):
    """Holds the edges of a state, made of the neighbours when they are first looked at."""

    def __init__(self, ids: Sequence[str], neighbours: Neighbours) -> None:
        self._ids, self._neighbours = ids, neighbours
        self._made: dict[Edge, int] | None = None

    def __getitem__(self, edge: Edge) -> int:
        return self.made()[edge]

    def __iter__(self) -> Iterator[Edge]:
        return iter(self.made())

    def __len__(self) -> int:
        return len(self._neighbours.near) // 2

    def items(self) -> ItemsView[Edge, int]:
        """Returns a view of the edges and how often each was gone."""
        return self.made().items()

    def made(self) -> dict[Edge, int]:
        """Returns them all."""
        if self._made is None:
            owners, near, counts = self._neighbours.pairs()
            names = [map(self._ids.__getitem__, places) for places in (owners, near)]
            pairs = zip(*names, counts, strict=True)
            self._made = {((a, b) if a < b else (b, a)): count for a, b, count in pairs}
        return self._made


def write(state: State, pool: PoolWriter) -> tuple[Json, dict[str, NDArray[Any]]]:
    """Returns what the header says of a state, and its arrays; the texts go into `pool`."""
    import numpy as np

    memories = list(state.memories.values())
    notes = [memory.note for memory in memories]
    header: Json = {"upto": state.upto, "memories": len(memories)}
    numbers = [[getattr(note, name) for note in notes] for name in _NUMBERS[:3]]
    numbers.append([memory.recalled for memory in memories])
    is_large = any(not -_LARGE <= number < _LARGE for column in numbers for number in column)
    header["large"] = numbers if is_large else []
    header["pinned"] = [i for i, memory in enumerate(memories) if memory.pinned]
    header["retired"] = [i for i, memory in enumerate(memories) if memory.retired]
    texts = [getattr(note, name) for name in _NOTE for note in notes]
    texts += [getattr(memory, name) for name in _MEMORY for memory in memories]
    moments = [_moment_texts(moment) for moment in state.moments]
    last_ends, last = _lists(state.last.values())
    opened_ends, opened = _lists(moment.memories for moment in state.moments)
    return header, {
        "numbers": np.array([] if is_large else numbers, "<i8").reshape(-1),
        "memory": pool.column(texts),
        "moment": pool.column(text for column in zip(*moments, strict=True) for text in column),
        "opened": pool.column(opened),
        "opened_ends": opened_ends,
        "last": pool.column(last),
        "last_of": pool.column(state.last),
        "last_ends": last_ends,
        "forgotten": pool.column(sorted(state.forgotten)),
        "seen": pool.column(sorted(state.seen)),
    }


def read(header: Json, sections: Mapping[str, NDArray[Any]], pool: Pool, near: Neighbours) -> State:
    """Returns the state; raises Damaged, or ValueError, IndexError, KeyError, TypeError, for what is none."""
    memories = _memories(header, sections, pool)
    moments = _moments(sections, pool)
    last = zip(pool.strings(sections["last_of"]), _cut(sections, "last", pool), strict=True)
    ids = list(memories)
    return State(
        header["upto"],
        memories,
        moments,
        Edges(ids, near),
        dict(last),
        frozenset(pool.strings(sections["forgotten"])),
        frozenset(pool.strings(sections["seen"])),
    )


def _memories(header: Json, sections: Mapping[str, NDArray[Any]], pool: Pool) -> dict[str, Memory]:
    columns = sections["memory"].reshape(len(_NOTE) + len(_MEMORY), header["memories"])
    names = (*_NOTE, *_MEMORY)
    texts: dict[str, Sequence[Any]] = {n: pool.strings(c) for n, c in zip(names, columns, strict=True)}
    numbers = header["large"] or sections["numbers"].reshape(len(_NUMBERS), -1).tolist()
    given = texts | dict(zip(_NUMBERS, numbers, strict=True))
    given |= {name: _flags(header[name], header["memories"]) for name in ("pinned", "retired")}
    # By the tuple's own constructor: `_make` looks at each length again, which zip has done.
    new = tuple.__new__
    notes = map(new, repeat(Note), zip(*(given[name] for name in Note._fields), strict=True))
    rest = (given[name] for name in Memory._fields[1:])
    memories: Iterable[Any] = map(new, repeat(Memory), zip(notes, *rest, strict=True))
    return dict(zip(texts["id"], memories, strict=True))


def _moments(sections: Mapping[str, NDArray[Any]], pool: Pool) -> tuple[Moment, ...]:
    columns = [pool.strings(column) for column in sections["moment"].reshape(_MOMENT, -1)]
    contexts = map(_context, columns[3], columns[4])
    rows = zip(_cut(sections, "opened", pool), *columns[:3], contexts, strict=True)
    return tuple(map(Moment._make, rows))


def _moment_texts(moment: Moment) -> tuple[str | None, ...]:
    fixed, context = (moment.conversation, moment.message, moment.at), moment.context
    if context is None:
        return (*fixed, None, None)
    model, vector = context.get("model"), context.get("vector")
    if len(context) == 2 and isinstance(model, str) and isinstance(vector, str):
        return (*fixed, model, vector)
    return (*fixed, None, dump_json(context).decode("utf-8"))


def _context(model: str | None, vector: str | None) -> Json | None:
    if vector is None:
        return None
    if model is not None:
        return {"model": model, "vector": vector}
    context: Json = load_json(vector.encode("utf-8"))
    if not isinstance(context, dict):
        raise Damaged("a context that is none")
    return context


def _flags(positions: Sequence[int], count: int) -> list[bool]:
    flags = [False] * count
    for position in positions:
        flags[position] = True
    return flags


def _lists(lists: Iterable[Sequence[str]]) -> tuple[NDArray[Any], list[str]]:
    import numpy as np

    some = list(lists)
    return np.array(list(accumulate(map(len, some))), "<u4"), [text for one in some for text in one]


def _cut(sections: Mapping[str, NDArray[Any]], name: str, pool: Pool) -> list[tuple[str, ...]]:
    strings = pool.strings(sections[name])
    return [tuple(strings[a:b]) for a, b in pairwise((0, *sections[f"{name}_ends"].tolist()))]
