"""Which texts hold which characters and words: made by an external sort, kept as narrow bytes.

Knows folded texts by their row; refuses to know what a row stands for and where the bytes are kept.
Invariant: the postings are the same bytes however the texts were cut into runs, and memory is bounded by one run of
characters or one range of keys, not by the number of texts.

A key is an integer below 2^63: a character's code point; (a + 1) << 21 | b for two neighbouring characters; for a word
bit 62 and 61 bits of its BLAKE2b, so that no dictionary is kept (of a million words two meet with chance 2e-7, and then
share a score; exact search uses characters only). A posting list is `documents` differences of ascending rows, all as
wide as the widest needs (1, 2 or 4 bytes, little endian), and as many counts of one byte, or none when all are 1; both
are deflated (zlib) in lists of 64 documents or more.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from paramecium.index.words import COUNT_MAX, Postings, is_word, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN_CHARS: Final = 1 << 19
RANGE_POSTINGS: Final = 1 << 20
DEFLATED_FROM: Final = 64
_SAMPLE_EVERY: Final = 1 << 10
_CODE_BITS: Final = 21
_WORD: Final = 1 << 62
_KEY_END: Final = (1 << 63) - 1

# Keys ascending, rows ascending within a key, and how often the row's text holds the key.
_Postings: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]"


class PostingList(NamedTuple):
    """Is one key's postings as they are kept; `counts` is None when the key occurs once in each of its documents."""

    key: int
    documents: int
    rows: bytes
    counts: bytes | None


def gram_key(gram: str) -> int:
    """Returns the key of one or two characters."""
    return ord(gram) if len(gram) == 1 else (ord(gram[0]) + 1) << _CODE_BITS | ord(gram[1])


def word_key(word: str) -> int:
    """Returns the key of a whole word."""
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return _WORD | int.from_bytes(digest) >> 3


def term_key(term: str) -> int:
    """Returns the key of a term as `words.terms` makes it."""
    return word_key(term) if is_word(term) else gram_key(term)


def decode(postings: PostingList) -> Postings:
    """Returns rows and counts of a posting list; raises ValueError or zlib.error when the bytes are none."""
    import numpy as np

    documents, row_bytes, count_bytes = postings.documents, postings.rows, postings.counts
    if documents >= DEFLATED_FROM:
        row_bytes = zlib.decompress(row_bytes)
        count_bytes = None if count_bytes is None else zlib.decompress(count_bytes)
    width = len(row_bytes) // max(documents, 1) or 1
    rows = np.cumsum(np.frombuffer(row_bytes, f"<u{width}"), dtype=np.uint32)
    counts = np.ones(len(rows), np.uint8) if count_bytes is None else np.frombuffer(count_bytes, np.uint8)
    if len(rows) != documents or len(counts) != len(rows):
        raise ValueError(f"the postings of key {postings.key} are not {documents}")
    return rows, counts


class Inversion:
    """Gathers texts and gives back, key by key, which of them hold it; its runs wait in an unnamed file of `folder`."""

    def __init__(self, folder: Path, run_chars: int = RUN_CHARS, range_postings: int = RANGE_POSTINGS) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - it lives as long as the inversion
        self._run_chars = run_chars
        self._range_postings = range_postings
        self._runs: list[_Run] = []
        self._texts: list[str] = []
        self._chars = 0
        self._rows = 0

    def add(self, folded_text: str) -> None:
        """Takes the text of the next row."""
        self._texts.append(folded_text)
        self._chars += len(folded_text)
        if self._chars >= self._run_chars:
            self._spill()

    def postings(self, new_row: "NDArray[np.uint32]") -> Iterator[PostingList]:
        """Yields all postings in order of key, each row named by its place in `new_row`; ends the inversion."""
        import numpy as np

        self._spill()
        with self._file:
            self._file.flush()
            samples = [self._part(run, 0, _KEY_END)[0][::_SAMPLE_EVERY].copy() for run in self._runs]
            for start, end in _ranges(samples, self._range_postings):
                parts = [self._part(run, start, end) for run in self._runs]
                keys, rows, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
                if len(keys):
                    yield from _encoded(keys, new_row[rows], counts)

    def close(self) -> None:
        """Lets go of the runs, whether they were used or not."""
        self._file.close()

    def _spill(self) -> None:
        if self._chars:
            self._runs.append(self._write(_occurrences(self._texts, self._rows)))
        self._rows += len(self._texts)
        self._texts, self._chars = [], 0

    def _write(self, postings: _Postings) -> "_Run":
        import numpy as np

        keys, rows, counts = postings
        starts = _starts(keys[1:] != keys[:-1])
        run = _Run(self._file.tell(), len(starts), len(keys))
        for column in (keys[starts], np.append(starts[1:], len(keys)), rows, counts):
            self._file.write(column.tobytes())
        return run

    def _part(self, run: "_Run", start: int, end: int) -> _Postings:
        import numpy as np

        def column(dtype: type, offset: int, size: int) -> "NDArray[Any]":
            return np.memmap(self._file, dtype, "r", run.offset + offset, (size,))

        keys, ends = column(np.int64, 0, run.keys), column(np.int64, 8 * run.keys, run.keys)
        first, last = np.searchsorted(keys, (start, end)).tolist()
        bounds = np.concatenate([ends[first - 1 : first] if first else [0], ends[first:last]])
        chosen = slice(int(bounds[0]), int(bounds[-1]))
        rows = column(np.uint32, 16 * run.keys, run.postings)[chosen]
        counts = column(np.uint8, 16 * run.keys + 4 * run.postings, run.postings)[chosen]
        # Copies, so that the mapping ends here and none of its pages stay in memory.
        return np.repeat(keys[first:last], np.diff(bounds)), np.array(rows), np.array(counts)


class _Run(NamedTuple):
    """Is where a sorted run stands: its distinct keys, where the postings of each end, the rows and the counts."""

    offset: int
    keys: int
    postings: int


def _occurrences(texts: Sequence[str], first_row: int) -> _Postings:
    import numpy as np

    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
    rows = np.repeat(np.arange(first_row, first_row + len(texts), dtype=np.uint32), [len(text) for text in texts])
    pairs = ((codes[:-1] + 1) << _CODE_BITS | codes[1:])[rows[1:] == rows[:-1]]
    words = [(word_key(word), row) for row, text in enumerate(texts, first_row) for word in words_of(text)]
    word_keys, word_rows = np.array(words, np.int64).reshape(-1, 2).T
    keys = np.concatenate([codes, pairs, word_keys])
    rows = np.concatenate([rows, rows[1:][rows[1:] == rows[:-1]], word_rows.astype(np.uint32)])
    order = np.lexsort((rows, keys))
    keys, rows = keys[order], rows[order]
    starts = _starts((keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1]))
    counts = np.minimum(np.diff(starts, append=len(keys)), COUNT_MAX).astype(np.uint8)
    return keys[starts], rows[starts], counts


def _starts(changes: "NDArray[np.bool_]") -> "NDArray[np.int64]":
    import numpy as np

    return np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int64)


def _ranges(samples: Sequence["NDArray[np.int64]"], range_postings: int) -> Iterable[tuple[int, int]]:
    import numpy as np

    if not samples:
        return []
    step = max(1, range_postings // _SAMPLE_EVERY)
    ends = [*np.unique(np.sort(np.concatenate(samples))[step::step]).tolist(), _KEY_END]
    return zip([0, *ends], ends, strict=False)


def _encoded(
    keys: "NDArray[np.int64]", rows: "NDArray[np.uint32]", counts: "NDArray[np.uint8]"
) -> Iterator[PostingList]:
    import numpy as np

    order = np.lexsort((rows, keys))
    keys, rows, counts = keys[order], rows[order], counts[order]
    starts = _starts(keys[1:] != keys[:-1])
    differences = np.diff(rows, prepend=np.uint32(0))
    differences[starts] = rows[starts]
    widest, most = np.maximum.reduceat(differences, starts), np.maximum.reduceat(counts, starts)
    widths = np.where(widest < 1 << 8, 1, np.where(widest < 1 << 16, 2, 4))
    narrow = {width: differences.astype(f"<u{width}").tobytes() for width in (1, 2, 4)}
    all_counts = counts.tobytes()
    spans = zip(keys[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(keys)], strict=True)
    for (key, a, b), width, many in zip(spans, widths.tolist(), (most > 1).tolist(), strict=True):
        yield _packed(key, b - a, narrow[width][a * width : b * width], all_counts[a:b] if many else None)


def _packed(key: int, documents: int, rows: bytes, counts: bytes | None) -> PostingList:
    if documents < DEFLATED_FROM:
        return PostingList(key, documents, rows, counts)
    return PostingList(key, documents, zlib.compress(rows), None if counts is None else zlib.compress(counts))
