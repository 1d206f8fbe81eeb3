"""From what was computed once to the view of now: events that came since are laid over it, and nothing else is redone.

Knows what a change of the state changes in the view; knows nothing of stores. Pure.
Invariant: the view finds what one made of the whole state at once would find, whatever was computed before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from paramecium.index.words import Scan
from paramecium.memories import making
from paramecium.memories.making import Marks, Near, Prepared, prepare
from paramecium.memories.rows import Rows, joined, mean
from paramecium.memories.state import MOMENTS_MAX, Edge, Memory, State
from paramecium.memories.view import MemoryView, Scanned

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Onward:
    """Is what a view is made of: what stands prepared, vectors made since, and what is off its conversation's path."""

    prepared: Prepared
    since: tuple[Rows, ...] = ()
    off_path: Mapping[str, Collection[str]] = field(default_factory=dict)
    damaged: bool = False

    def view(self, state: State, marks: Marks) -> MemoryView:
        """Returns the view of `state`, which the prepared one came to by the events that followed."""
        base = self.prepared
        if not continues(base.state, state):
            base = prepare(state, all_rows(base, self.since, state), marks)
        elif state is not base.state or self.since:
            base = self._laid_over(state, marks)
        return self._view(base)

    def _view(self, base: Prepared) -> MemoryView:
        live = base.standing.copy()
        off = [base.position[i] for ids in self.off_path.values() for i in ids if i in base.position]
        live[off] = False
        first = self.prepared
        scans = [Scanned(first.scan, 0), Scanned(base.scan, len(first.memories))]
        if base.scan is first.scan or not continues(first.state, base.state):
            scans = [Scanned(base.scan, 0)]
        return MemoryView(
            state=base.state,
            memories=base.memories,
            live=live,
            day=base.day,
            valid_from=base.valid_from,
            valid_until=base.valid_until,
            model=base.rows.model,
            mean=mean(base.rows),
            rows=base.rows.rows,
            row_of=base.row_of,
            scans=tuple(part for part in scans if len(part.scan.lengths)),
            days=base.days,
            moment_rows=base.moment_rows,
            moment_memories=base.opened,
            edges=base.edges,
            position=base.position,
            damaged=self.damaged,
        )

    def _laid_over(self, state: State, marks: Marks) -> Prepared:
        """Returns what is prepared with the changes; its scan holds the new memories alone."""
        base = self.prepared
        known = len(base.memories)
        memories = tuple(state.memories.values())
        added = memories[known:]
        position = dict(base.position) | {m.note.id: known + i for i, m in enumerate(added)} if added else base.position
        rows = all_rows(base, self.since, state) if self.since else base.rows
        row_of = making._whole([position[i] for i in rows.ids]) if self.since else base.row_of
        changed = [i for i, (old, new) in enumerate(zip(base.memories, memories, strict=False)) if old is not new]
        laid = replace(
            base,
            state=state,
            memories=memories,
            position=position,
            standing=making.standing(state, memories),
            day=_days(base.day, memories, (), known, "date"),
            valid_from=_days(base.valid_from, memories, changed, known, "valid_from"),
            valid_until=_days(base.valid_until, memories, changed, known, "valid_until"),
            scan=Scan(map(making.folded, added)) if added else base.scan,
            days=_together(base.days, making.days_of(added, known, marks)),
            edges=_edges(base, state, position),
            rows=rows,
            row_of=row_of,
        )
        return _moments(base, laid, anew=any(part.asked for part in self.since) or rows.dims != base.rows.dims)


def continues(old: State, new: State) -> bool:
    """Tells whether every memory has the position it had: none was forgotten."""
    return old.forgotten == new.forgotten


def all_rows(base: Prepared, since: Sequence[Rows], state: State) -> Rows:
    """Returns the vectors of the base and those made since as one, of memories and moments that stand."""
    parts = [part for part in (base.rows, *since) if part.dims]
    asked = {(moment.conversation, moment.message) for moment in state.moments}
    return joined(parts, state.memories, asked) if parts else base.rows


def _days(
    old: NDArray[np.int32], memories: Sequence[Memory], changed: Sequence[int], known: int, name: str
) -> NDArray[np.int32]:
    import numpy as np

    def of(memory: Memory) -> str:
        day: str = getattr(memory.note if name == "date" else memory, name)
        return day

    out = np.concatenate((old, making.ordinals(of(m) for m in memories[known:])))
    if changed:
        out[changed] = making.ordinals(of(memories[i]) for i in changed)
    return out


def _together(old: Mapping[str, tuple[int, ...]], new: Mapping[str, tuple[int, ...]]) -> Mapping[str, tuple[int, ...]]:
    return {**old, **{mark: (*old.get(mark, ()), *places) for mark, places in new.items()}} if new else old


def _edges(base: Prepared, state: State, position: Mapping[str, int]) -> Any:
    """The neighbours, with those that changed laid over; an edge only ever comes or grows."""
    pairs = _followed(base.state, state)
    old = base.state.edges
    changed = {pair: state.edges[pair] for pair in pairs if state.edges.get(pair) != old.get(pair)}
    if not changed:
        return base.edges
    touched: dict[int, dict[int, int]] = {}
    for (a, b), count in changed.items():
        for one, other in ((position[a], position[b]), (position[b], position[a])):
            touched.setdefault(one, dict(base.edges.get(one, ())))[other] = count
    near: dict[int, Near] = {
        one: tuple(sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))) for one, others in touched.items()
    }
    return _Over(base.edges, near)


def _followed(base: State, state: State) -> set[Edge]:
    """Returns the pairs that moments since the base may have joined; looking at all edges would take far longer."""
    known = _known(base, state)
    if not known and len(state.moments) == MOMENTS_MAX:
        return set(state.edges)  # some of the moments since are gone already
    moments = state.moments[known:]
    last, pairs = dict(base.last), set[Edge]()
    for moment in moments:
        before = last.get(moment.conversation, ())
        pairs |= {(min(a, b), max(a, b)) for a in before for b in moment.memories if a != b}
        last[moment.conversation] = moment.memories
    return pairs


def _known(base: State, state: State) -> int:
    """Returns how many of the moments the base knows; they come first."""
    if not base.moments:
        return 0
    places = range(len(state.moments) - 1, -1, -1)
    return next((i + 1 for i in places if state.moments[i] is base.moments[-1]), 0)


class _Over(Mapping[int, Near]):
    """Lays some neighbours over others."""

    def __init__(self, below: Mapping[int, Near], over: Mapping[int, Near]) -> None:
        self._below, self._over = below, over

    def __getitem__(self, position: int) -> Near:
        return self._over[position] if position in self._over else self._below[position]

    def __iter__(self) -> Any:
        yield from self._below
        yield from (position for position in self._over if position not in self._below)

    def __len__(self) -> int:
        return len(self._below) + sum(position not in self._below for position in self._over)


def _moments(base: Prepared, laid: Prepared, *, anew: bool) -> Prepared:
    """Returns `laid` with the moments of its state; those that stood keep their vectors unless `anew`."""
    import numpy as np

    old, new = base.state.moments, laid.state.moments
    if new is old and not anew:
        return laid
    kept = 0 if anew else _known(base.state, laid.state)
    gone = len(old) - kept  # moments beyond the last 5,000
    of, rows = making.moments_of(list(islice(new, kept, None)), laid.rows)
    stays = base.moment_of >= gone if kept else np.zeros(len(base.moment_of), np.bool_)
    opened = [places for places, stay in zip(base.opened, stays.tolist(), strict=True) if stay]
    shown = [tuple(laid.position[i] for i in new[kept + m].memories) for m in of]
    return replace(
        laid,
        moment_of=np.concatenate((base.moment_of[stays] - gone, making._whole([kept + m for m in of]))),
        moment_rows=np.concatenate((base.moment_rows[stays], rows)) if kept else rows,
        opened=(*opened, *shown),
    )
