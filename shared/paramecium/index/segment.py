"""A segment, loaded: the messages of a part of the archive, their passages, and one int8 row per passage.

Two immutable files, both in the form of `sections`:

`<ulid>.vectors`, magic b"PmVector". Header: model, dims, passages, messages, passages_version, `counted` and `total`
(how many raw vectors were summed, and per dimension the sum of round(x·2^24)). Sections, rows in message order:
    mean     f4 (dims)            taken off each vector before it was quantised: the mean shipped with the model
    message  u4 (passages)        position of the passage's message in the tables of `.words`
    start, end  u4 (passages)     code points in that message's text
    rows     i1 (passages, dims)
`<ulid>.words`, magic b"PmWords\\n". Header: messages, conversations (ids, sorted), marks. Sections, by (conv, n):
    conv     u4 (messages)        position in `conversations`
    n        u4 (messages)        the entry's number
    day      i4 (messages)        ordinal of the local date, 0 unknown
    role     u1 (messages)        0 user, 1 assistant
    texts.*  `blocks`             UTF-8, lone surrogates passed
    facts.*  `blocks`             JSON [id, parent, speaker, at]

Knows nothing of search. Invariant: nothing of a file is read before its sha256 is the one the manifest names.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from paramecium.errors import BadInput, Damaged
from paramecium.index.blocks import DTYPES as BLOCK_DTYPES
from paramecium.index.blocks import Blocks
from paramecium.index.manifest import SegmentName
from paramecium.index.mapped import open_checked, remove_download
from paramecium.index.said import Mark, Said
from paramecium.index.sections import count_of, unpack
from paramecium.messages import SPOKEN, Json, load_json
from paramecium.store.base import ObjectStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

VECTORS_MAGIC: Final = b"PmVector"
WORDS_MAGIC: Final = b"PmWords\n"
VECTORS_DTYPES: Final = {"mean": "<f4", "message": "<u4", "start": "<u4", "end": "<u4", "rows": "<i1"}
TABLE_DTYPES: Final = {"conv": "<u4", "n": "<u4", "day": "<i4", "role": "<u1"}
WORDS_DTYPES: Final = TABLE_DTYPES | {f"{kind}.{k}": v for kind in ("texts", "facts") for k, v in BLOCK_DTYPES.items()}
_DIMS_MAX = 65_536
_TOTAL_MAX = 2**62


class Segment:
    """Is one loaded segment; its arrays are views of the mapped files, never to be written. Threads may share it.

    `total` (i8, dims) over `counted` vectors gives the mean of the raw vectors. All arrays are described above.
    """

    def __init__(self, name: SegmentName, vectors: NDArray[Any], words: NDArray[Any]) -> None:
        """Reads a segment out of the bytes (u1) of its two files; raises Damaged naming the key of what is none."""
        self.name, self.ulid = name, name.ulid
        self._files: tuple[Path, ...] = ()
        key = name.words.key
        header, found = unpack(words, key, WORDS_MAGIC, WORDS_DTYPES)
        self.conversations = _strings(header.get("conversations"), key)
        self.marks = _marks(header.get("marks"), key)
        self.conv, self.n, self.day, self.role = (found[k] for k in TABLE_DTYPES)
        self._texts = Blocks(key, {k: found[f"texts.{k}"] for k in BLOCK_DTYPES}, count_of(header, key, "messages"))
        self._facts = Blocks(key, {k: found[f"facts.{k}"] for k in BLOCK_DTYPES}, len(self._texts))
        self._check_messages()
        self._bounds = self.conv.searchsorted(_counting(len(self.conversations) + 1))
        header, found = unpack(vectors, name.vectors.key, VECTORS_MAGIC, VECTORS_DTYPES)
        self.mean, self.message, self.start, self.end = (found[k] for k in ("mean", "message", "start", "end"))
        self._read_header(header)
        self._check_passages(count_of(header, name.vectors.key, "passages"), found["rows"])
        self.rows = found["rows"].reshape(len(self.message), self.dims)

    @classmethod
    def open(cls, store: ObjectStore, name: SegmentName, folder: Path) -> Self:
        """Returns the segment, mapped; downloads go into `folder`.

        Raises KeyMissing, StoreUnavailable when a file cannot be mapped, and Damaged naming the key when it is not the
        one named; a damaged download is removed, so that the next try fetches anew.
        """
        vectors, words = (open_checked(store, part, folder) for part in (name.vectors, name.words))
        segment = cls(name, vectors[1], words[1])
        segment._files = (vectors[0], words[0])
        return segment

    def remove_downloads(self, folder: Path) -> None:
        """Removes the segment's files if they were downloaded into `folder`; what is mapped stays readable."""
        for path in self._files:
            remove_download(path, folder)

    def text(self, m: int) -> str:
        """Returns the text of message `m`, verbatim."""
        return self._decoded(self._texts.item(m))

    def texts(self) -> Iterator[str]:
        """Yields the texts of all messages in order; each block is decompressed once."""
        return map(self._decoded, self._texts.items())

    def raw(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields text and facts of all messages in order as they are stored, to be copied."""
        return zip(self._texts.items(), self._facts.items(), strict=True)

    def said(self, m: int) -> Said:
        """Returns the whole message `m`."""
        id_, parent, speaker, at = self._facts_of(m)
        conversation, role = self.conversations[int(self.conv[m])], SPOKEN[int(self.role[m])]
        return Said(conversation, int(self.n[m]), id_, parent, role, speaker, at, int(self.day[m]), self.text(m))

    def find(self, conversation: str, n: int) -> int | None:
        """Returns the position of an entry's message, or None when it is not in this segment."""
        within = self.messages_of(conversation)
        if not within or not 0 <= n < 2**32:
            return None
        m = within.start + int(self.n[within.start : within.stop].searchsorted(self.n.dtype.type(n)))
        return m if m < within.stop and int(self.n[m]) == n else None

    def messages_of(self, conversation: str) -> range:
        """Returns the positions of a conversation's messages, in order of `n`; empty when there are none."""
        c = bisect_left(self.conversations, conversation)
        if c == len(self.conversations) or self.conversations[c] != conversation:
            return range(0)
        return range(int(self._bounds[c]), int(self._bounds[c + 1]))

    def ids_of(self, conversation: str) -> list[tuple[int, str, str | None]]:
        """Returns (n, id, parent id) of a conversation's messages, without touching their texts."""
        within = self.messages_of(conversation)
        numbers = self.n[within.start : within.stop].tolist()
        return [(n, id_, parent) for n, (id_, parent, _, _) in zip(numbers, self._read_facts(within), strict=True)]

    def passages_of(self, m: int) -> range:
        """Returns the positions of the passages of message `m`."""
        message = self.message.dtype.type(m)
        return range(int(self.message.searchsorted(message)), int(self.message.searchsorted(message, "right")))

    def _facts_of(self, m: int) -> tuple[str, str | None, str, str]:
        return self._read_facts([m])[0]

    def _read_facts(self, messages: Iterable[int]) -> list[tuple[str, str | None, str, str]]:
        """Reads the facts of several messages as one list of JSON: for thousands that is three times as fast."""
        key = self.name.words.key
        try:
            read = load_json(b"[" + b",".join(map(self._facts.item, messages)) + b"]")
        except BadInput as error:
            raise Damaged(f"{key}: the facts of a message cannot be read: {error}") from error
        out: list[tuple[str, str | None, str, str]] = []
        for facts in read:
            match facts:
                case [str(id_), (str() | None) as parent, str(speaker), str(at)]:
                    out.append((id_, parent, speaker, at))
                case _:
                    raise Damaged(f"{key}: a message lacks its facts")
        return out

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise Damaged(f"{self.name.words.key}: a text is not UTF-8: {error}") from error

    def _check_messages(self) -> None:
        conv, n, key = self.conv, self.n, self.name.words.key
        if {len(conv), len(n), len(self.day), len(self.role), self.name.messages} != {len(self._texts)}:
            raise Damaged(f"{key}: its tables are not of {self.name.messages} messages")
        order = (conv.astype("u8") << 32) | n
        if not (order[1:] > order[:-1]).all() or (len(conv) and int(conv[-1]) >= len(self.conversations)):
            raise Damaged(f"{key}: messages are out of order")
        if (self.role >= len(SPOKEN)).any():
            raise Damaged(f"{key}: an unknown role")

    def _read_header(self, header: Json) -> None:
        import numpy as np

        key = self.name.vectors.key
        self.dims, self.counted = count_of(header, key, "dims", _DIMS_MAX), count_of(header, key, "counted")
        self.passages_version = count_of(header, key, "passages_version")
        model, total = header.get("model"), header.get("total")
        if not isinstance(model, str) or not isinstance(total, list) or len(total) != self.dims:
            raise Damaged(f"{key}: the header lacks its model or total")
        if not all(type(x) is int and -_TOTAL_MAX < x < _TOTAL_MAX for x in total):
            raise Damaged(f"{key}: the header's total is not of whole numbers")
        self.model, self.total = model, np.array(total, np.int64)

    def _check_passages(self, count: int, rows: NDArray[Any]) -> None:
        key, message = self.name.vectors.key, self.message
        if {count, len(message), len(self.start), len(self.end), self.name.passages} != {count}:
            raise Damaged(f"{key}: its tables are not of {self.name.passages} passages")
        if rows.size != count * self.dims or len(self.mean) != self.dims:
            raise Damaged(f"{key}: its rows are not {count} times {self.dims}")
        if not (message[1:] >= message[:-1]).all() or (count and int(message[-1]) >= len(self._texts)):
            raise Damaged(f"{key}: passages are out of order")
        if (self.start >= self.end).any():
            raise Damaged(f"{key}: a passage without a character")


def _counting(count: int) -> NDArray[Any]:
    import numpy as np

    return np.arange(count, dtype=np.uint32)


def _strings(raw: object, key: str) -> list[str]:
    if not isinstance(raw, list) or not all(isinstance(x, str) for x in raw) or raw != sorted(set(raw)):
        raise Damaged(f"{key}: the header's conversations are not a sorted list")
    return raw


def _marks(raw: object, key: str) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    for item in raw if isinstance(raw, list) else [None]:
        match item:
            case [str(conversation), int(n), str(kind), str(value)]:
                marks.append(Mark(conversation, n, kind, value))
            case _:
                raise Damaged(f"{key}: a mark that is none: {item!r:.80}")
    return tuple(marks)
