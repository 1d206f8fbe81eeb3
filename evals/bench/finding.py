"""Finding among 300,000 passages: the scan of vectors alone, what a segment weighs, and whole recalls."""

import mmap
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evals.bench import long_life, synthetic
from evals.bench.measure import Bench, seconds
from evals.bench.rows import Row, size_mb, taken_ms
from paramecium.errors import Damaged
from paramecium.index import vectors
from paramecium.index.segment import Segment
from paramecium.recall.search import Finder, Query
from paramecium.recall.semantic import TAKEN
from paramecium.store.local import LocalStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEARCH_MS_MAX: Final = 20.0
VECTORS_MB_MAX: Final = 130.0
RECALL_MS_MAX: Final = 60.0
QUERY_WORDS: Final = 6
EXACT_CHARS: Final = 4
COMMON_FIRST: Final = 20
QUERIES: Final = 51  # 50 are measured, the last one warms up
LATER: Final = synthetic.FIRST_DAY + timedelta(days=365)


def vector_rows(bench: Bench) -> Iterator[Row]:
    """Yields the vector search, the size of `.vectors`, and how long a segment takes to load."""
    folder = long_life.built(bench)
    store = LocalStore(folder / "whole")
    name = long_life.standing(folder, "whole").segments[0]
    segment = Segment.open(store, name, folder)
    asked = synthetic.embedder(seed=1).passages([""] * bench.sizes.calls) - segment.mean
    took = seconds(lambda i: vectors.search(segment.rows, asked[i], TAKEN), bench.sizes.calls, bench.bar("vectors"))
    what = f"{len(segment.rows):,} × {segment.dims}"
    yield taken_ms(f"vectors: search {what}", took, SEARCH_MS_MAX, f"k = {TAKEN}, one segment, one thread")
    yield size_mb(f"vectors: size of .vectors, {what}", name.vectors.bytes, VECTORS_MB_MAX)
    yield size_mb("vectors: size of .words", name.words.bytes)
    took = seconds(lambda _: Segment.open(store, name, folder), bench.sizes.starts, bench.bar("loading"))
    seen = "a view of the mapped file" if is_mapped(segment.rows) else "A COPY of the file"
    yield taken_ms("vectors: load the segment, sha256 checked", took, note=f"rows are {seen}")


def recall_rows(bench: Bench) -> Iterator[Row]:
    """Yields whole recalls of a warm process, with the real model for the query."""
    folder = long_life.built(bench)
    finder = long_life.parts(folder).of(long_life.LIFE).finder
    segments = long_life.standing(folder).segments
    note = f"{sum(s.passages for s in segments):,} passages in {len(segments)} segments, warm"
    for what, queries in _queries(folder).items():
        ask = _asking(finder, queries)
        ask(-1)
        took = seconds(ask, bench.sizes.calls, bench.bar(f"recall {what}"))
        yield taken_ms(f"recall: {what}", took, RECALL_MS_MAX, note)


def is_mapped(array: "NDArray[Any]") -> bool:
    """Tells whether an array's numbers are those of a mapped file, and no copy of them."""
    base: Any = array
    while getattr(base, "base", None) is not None:
        base = base.base
    return isinstance(base, mmap.mmap)


def _queries(folder: Path) -> dict[str, list[Query]]:
    """Returns queries of several words, of characters that stand in one message, and of words that stand in many."""
    words = synthetic.Vocabulary().words
    name = long_life.standing(folder, "whole").segments[0]
    segment = Segment.open(LocalStore(folder / "whole"), name, folder)
    apart = len(words) // QUERY_WORDS
    asked = ["".join(words[i::apart][:QUERY_WORDS]) for i in range(QUERIES)]
    step = max(len(segment.conv) // QUERIES, 1)
    said = [segment.text(m)[:EXACT_CHARS] for m in range(0, len(segment.conv), step)]
    common = [word for word in words[COMMON_FIRST:] if len(word) > 1]
    return {
        "semantic, a question of 6 words": [Query(text) for text in asked],
        "semantic, only the last four of five years": [Query(text, after=LATER) for text in asked],
        "exact, 4 characters of one message": [Query(text, exact=True) for text in said],
        "exact, a common word": [Query(text, exact=True) for text in common[:QUERIES]],
    }


def _asking(finder: Finder, queries: Sequence[Query]) -> Callable[[int], None]:
    def ask(i: int) -> None:
        query = queries[i % len(queries)]
        if not finder.recall(query).windows:
            raise Damaged(f"nothing was found for {query.text!r}; a search without a hit is not measured")

    return ask
