"""Makes a segment's two files out of messages and their vectors, or out of loaded segments.

Knows the order and the columns of a segment (their form stands in `segment`); knows nothing of models: vectors come
ready, one a passage.
Invariant: the same messages make the same bytes, however they came together; a row is quantised once in its life and
copied ever after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import BadInput
from paramecium.index.blocks import BlockWriter
from paramecium.index.manifest import ObjectName, SegmentName
from paramecium.index.passages import VERSION as PASSAGES_VERSION
from paramecium.index.passages import passages
from paramecium.index.said import Mark, Said
from paramecium.index.sections import pack
from paramecium.index.segment import TABLE_DTYPES, VECTORS_MAGIC, WORDS_MAGIC
from paramecium.index.vectors import quantise
from paramecium.messages import SPOKEN, dump_json
from paramecium.store import keys
from paramecium.store.base import ObjectStore

if TYPE_CHECKING:
    from numpy import float32, int64
    from numpy.typing import NDArray

TOTAL_SCALE: Final = 2**24
_CHUNK_ROWS = 8192


@dataclass(frozen=True, slots=True)
class SegmentBytes:
    """Is a segment ready to be stored: the bytes of `.vectors` and `.words`."""

    vectors: bytes
    words: bytes
    passages: int
    messages: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Is what a segment's files are packed from; the arrays are described in `segment`, `raw` yields (text, facts)."""

    header: dict[str, Any]
    conversations: list[str]
    marks: Iterable[Mark]
    table: dict[str, NDArray[Any]]
    raw: Iterable[tuple[bytes, bytes]]
    spans: dict[str, NDArray[Any]]


def dressed(said: Said, start: int, end: int) -> str:
    """Returns the text that is embedded for the passage from `start` to `end`: its words, after who said them.

    Nowhere else is it decided. Questions name persons: with the speaker, twice as many turns of a conversation between
    two are found among the first ten.
    """
    words = said.text[start:end]
    return f"{said.speaker}: {words}" if said.speaker else words


def to_embed(saids: Iterable[Said]) -> Iterator[str]:
    """Yields the text to embed of each passage of each message, in the order `write_segment` wants the vectors in."""
    for said in saids:
        for start, end in passages(said.text):
            yield dressed(said, start, end)


def write_segment(
    saids: Sequence[Said], marks: Iterable[Mark], vectors: NDArray[float32], model: str, mean: NDArray[float32]
) -> SegmentBytes:
    """Returns the segment of `saids`; `vectors` (passages, dims) are raw, in the order of `to_embed(saids)`.

    A message that comes twice is kept once. `mean` (dims) is taken off each vector before it is quantised. Raises
    BadInput when vectors and passages are not as many, of other dims, or not finite.
    """
    spans = [passages(said.text) for said in saids]
    firsts = list(accumulate(map(len, spans), initial=0))
    if vectors.shape != (firsts[-1], len(mean)):
        raise BadInput(f"{vectors.shape} vectors for {firsts[-1]} passages of {len(mean)} dimensions")
    place = {(said.conversation, said.n): i for i, said in reversed(list(enumerate(saids)))}
    order = [place[key] for key in sorted(place)]
    raw = vectors[[row for i in order for row in range(firsts[i], firsts[i + 1])]]
    total = _total(raw).tolist()
    header = {"model": model, "counted": len(raw), "total": total, "passages_version": PASSAGES_VERSION}
    ordered = [saids[i] for i in order]
    conversations = sorted({said.conversation for said in ordered})
    mean = mean.astype("<f4")
    columns = Columns(
        header=header,
        conversations=conversations,
        marks=marks,
        table=_table(ordered, conversations),
        raw=map(_raw, ordered),
        spans={"mean": mean, **_spans([spans[i] for i in order]), "rows": quantise(raw - mean)},
    )
    return pack_segment(columns)


def pack_segment(columns: Columns) -> SegmentBytes:
    """Returns the bytes of the two files that hold `columns`."""
    messages, (count, dims) = len(columns.table["n"]), columns.spans["rows"].shape
    marks = sorted({(m.conversation, m.n, m.kind, m.value) for m in columns.marks})
    writers = {"texts": BlockWriter(), "facts": BlockWriter()}
    for items in columns.raw:
        for writer, item in zip(writers.values(), items, strict=True):
            writer.add(item)
    sections = dict(columns.table)
    for kind, writer in writers.items():
        sections |= {f"{kind}.{name}": array for name, array in writer.sections().items()}
    header = {"messages": messages, "conversations": columns.conversations, "marks": marks}
    words = pack(WORDS_MAGIC, header, sections)
    vectors = pack(VECTORS_MAGIC, {**columns.header, "dims": dims, "passages": count}, columns.spans)
    return SegmentBytes(vectors, words, count, messages)


def name_segment(life: str, ulid: str, made: SegmentBytes) -> SegmentName:
    """Returns the name under which a manifest lists `made` when it is stored as `ulid`."""
    vectors, words = (
        ObjectName(keys.segment(life, ulid, part), hashlib.sha256(body).hexdigest(), len(body))
        for part, body in (("vectors", made.vectors), ("words", made.words))
    )
    return SegmentName(ulid, vectors, words, made.passages, made.messages)


def store_segment(store: ObjectStore, life: str, ulid: str, made: SegmentBytes) -> SegmentName:
    """Returns the segment's name once both files stand under the new `ulid`; no manifest names them yet."""
    name = name_segment(life, ulid, made)
    store.create(name.vectors.key, made.vectors)
    store.create(name.words.key, made.words)
    return name


def _table(saids: Sequence[Said], conversations: Sequence[str]) -> dict[str, NDArray[Any]]:
    import numpy as np

    place = {conversation: c for c, conversation in enumerate(conversations)}
    rows = [(place[s.conversation], s.n, s.day, SPOKEN.index(s.role)) for s in saids]
    columns = zip(*rows, strict=True) if rows else ((),) * len(TABLE_DTYPES)
    return {name: np.array(column, TABLE_DTYPES[name]) for name, column in zip(TABLE_DTYPES, columns, strict=True)}


def _spans(passages_of: Sequence[tuple[tuple[int, int], ...]]) -> dict[str, NDArray[Any]]:
    import numpy as np

    rows = [(m, start, end) for m, spans in enumerate(passages_of) for start, end in spans]
    columns = np.ascontiguousarray(np.array(rows, "<u4").reshape(-1, 3).T)
    return dict(zip(("message", "start", "end"), columns, strict=True))


def _raw(said: Said) -> tuple[bytes, bytes]:
    return said.text.encode("utf-8", "surrogatepass"), dump_json([said.id, said.parent, said.speaker, said.at])


def _total(vectors: NDArray[float32]) -> NDArray[int64]:
    import numpy as np

    total = np.zeros(vectors.shape[1], np.int64)
    for at in range(0, len(vectors), _CHUNK_ROWS):
        part = vectors[at : at + _CHUNK_ROWS].astype(np.float64)
        if not np.isfinite(part).all():
            raise BadInput("a passage's vector is not finite")
        total += np.rint(part * TOTAL_SCALE).astype(np.int64).sum(axis=0)
    return total
