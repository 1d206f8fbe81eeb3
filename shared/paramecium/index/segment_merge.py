"""Makes one segment of several, without a model: rows and texts are copied as they are.

Knows how the tables of segments interleave; knows nothing of when to merge (`compaction`).
Invariant: the merge of the parts of a set of messages is, byte for byte, the segment of the whole set. Of a message
that stands in two parts the earlier part's is kept; its vectors stay in `total` and `counted`, from which only a mean
is ever taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from paramecium.errors import BadInput
from paramecium.index.segment import TABLE_DTYPES, Segment
from paramecium.index.segment_write import Columns, SegmentBytes, pack_segment

if TYPE_CHECKING:
    from numpy.typing import NDArray


def merge(segments: Sequence[Segment], without: Collection[str] = ()) -> SegmentBytes:
    """Returns the segment that holds what `segments` hold, each message once, and nothing of conversations `without`.

    Raises BadInput for none, or for segments of different models, means or ways of cutting passages.
    """
    import numpy as np

    kinds = {(s.model, s.passages_version, s.mean.tobytes()) for s in segments}
    if len(kinds) != 1:
        raise BadInput(f"{len(segments)} segments of {len(kinds)} models cannot be merged")
    conversations = sorted({c for s in segments for c in s.conversations if c not in without})
    table, origin = _gathered(segments, conversations)
    total = np.sum([s.total for s in segments], axis=0)
    header = {
        "model": segments[0].model,
        "counted": sum(s.counted for s in segments),
        "total": total.tolist(),
        "passages_version": segments[0].passages_version,
    }
    return pack_segment(
        Columns(
            header=header,
            conversations=conversations,
            marks=[mark for s in segments for mark in s.marks if mark.conversation not in without],
            table=table,
            raw=_raw(segments, origin),
            spans={"mean": segments[0].mean, **_spans(segments, origin)},
        )
    )


def _gathered(
    segments: Sequence[Segment], conversations: list[str]
) -> tuple[dict[str, NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]:
    """Returns the message table, and of each of its rows the segment (number) and the position it comes from.

    Messages of other conversations than those named are left out.
    """
    import numpy as np

    place = {conversation: c for c, conversation in enumerate(conversations)}
    local = [np.array([place.get(c, -1) for c in s.conversations], np.int64) for s in segments]
    tables = {name: np.concatenate([getattr(s, name) for s in segments]) for name in TABLE_DTYPES}
    tables["conv"] = np.concatenate([new[s.conv] for new, s in zip(local, segments, strict=True)])
    source = np.repeat(np.arange(len(segments)), [len(s.conv) for s in segments])
    position = np.concatenate([np.arange(len(s.conv)) for s in segments])
    order = np.lexsort((source, tables["n"], tables["conv"]))
    conv, n = tables["conv"][order], tables["n"][order]
    again = (conv[1:] == conv[:-1]) & (n[1:] == n[:-1])
    order = order[np.concatenate(([True], ~again))[: len(order)] & (conv >= 0)]
    table = {name: tables[name][order].astype(dtype) for name, dtype in TABLE_DTYPES.items()}
    return table, (source[order], position[order])


def _raw(segments: Sequence[Segment], origin: tuple[NDArray[Any], NDArray[Any]]) -> Iterator[tuple[bytes, bytes]]:
    # Every segment is in the order of the whole, so each is read once from its beginning to its end.
    reading = [enumerate(s.raw()) for s in segments]
    for source, position in zip(*(o.tolist() for o in origin), strict=True):
        for m, raw in reading[source]:
            if m == position:
                yield raw
                break


def _spans(segments: Sequence[Segment], origin: tuple[NDArray[Any], NDArray[Any]]) -> dict[str, NDArray[Any]]:
    import numpy as np

    source, position = origin
    counts = np.zeros(len(source), np.int64)
    for s, segment in enumerate(segments):
        counts[source == s] = np.bincount(segment.message, minlength=len(segment.conv))[position[source == s]]
    begins = np.cumsum(counts) - counts
    passages = int(counts.sum())
    out = {name: np.empty(passages, "<u4") for name in ("message", "start", "end")}
    out["rows"] = np.empty((passages, segments[0].dims), "<i1")
    for s, segment in enumerate(segments):
        merged = np.full(len(segment.conv), -1)
        merged[position[source == s]] = np.flatnonzero(source == s)
        rows = np.flatnonzero(merged[segment.message] >= 0)
        message = segment.message[rows]
        target = begins[merged[message]] + rows - segment.message.searchsorted(message)
        out["message"][target] = merged[message]
        for name in ("start", "end", "rows"):
            out[name][target] = getattr(segment, name)[rows]
    return out
