"""The nightly full text: one SQLite file that knows which messages may hold a query, and how well words meet them.

Knows conversations, numbers, days and the postings of every folded text; keeps no text, so whoever asks verifies a
candidate with the folded words themselves. Uses SQLite's B-tree and none of its extensions.
Invariant: every message that holds a query is a candidate; a file never changes once it is finished, and the same
messages make the same bytes, in whatever order they came.

A row is a message's place in the order (day, conversation, n), so that newest first is from the last row to the first,
and a span of days is a span of rows. Tables: meta(name, value), conversations(id, next_n), columns(name, body) with one
little-endian u4 a row (conversation, n, day, length), postings(key, documents, rows, counts) as in `postings`.
"""

import sqlite3
import threading
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from paramecium.errors import AlreadyExists, Damaged
from paramecium.index import words
from paramecium.index.fold import fold
from paramecium.index.postings import Inversion, PostingList, decode, gram_key, term_key
from paramecium.index.words import Postings, Statistics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT: Final = 1
QUERY_GRAMS_MAX: Final = 64
INTERSECTED_MAX: Final = 8
COLUMNS: Final = ("conversation", "n", "day", "length")

Days: TypeAlias = tuple[int, int]
Moment: TypeAlias = tuple[int, str, int]

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE conversations(id TEXT PRIMARY KEY, next_n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE columns(name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE postings(key INTEGER PRIMARY KEY, documents INTEGER NOT NULL, rows BLOB NOT NULL, counts BLOB);
"""


class FullTextWriter:
    """Makes the file at `path` from messages in any order; memory grows by 16 bytes a message."""

    def __init__(self, path: Path) -> None:
        if path.exists():
            raise AlreadyExists(f"{path.name} stands already; a full text is made once")
        self._path = path
        self._inversion = Inversion(path.parent)
        self._positions: dict[str, int] = {}
        self._columns = {name: array("I") for name in COLUMNS}

    def add(self, conversation: str, n: int, day: int, text: str) -> None:
        """Takes one message with its whole text, once; `day` is the ordinal of its local date, 0 when unknown."""
        folded = fold(text)
        position = self._positions.setdefault(conversation, len(self._positions))
        for name, value in zip(COLUMNS, (position, n, day, words.token_count(folded)), strict=True):
            self._columns[name].append(value)
        self._inversion.add(folded)

    def close(self) -> None:
        """Gives up what was not finished."""
        self._inversion.close()

    def finish(self, covered: Mapping[str, int]) -> None:
        """Writes the file; `covered` says for each conversation up to which number (exclusive) it was added.

        Raises Damaged when SQLite does not find the file in order afterwards.
        """
        import numpy as np

        ids = sorted({*self._positions, *covered})
        place = {conversation: position for position, conversation in enumerate(ids)}
        columns = {name: np.frombuffer(column, np.uint32) for name, column in self._columns.items()}
        columns["conversation"] = np.array([place[c] for c in self._positions], np.uint32)[columns["conversation"]]
        order = np.lexsort((columns["n"], columns["conversation"], columns["day"]))
        new_row = np.empty(len(order), np.uint32)
        new_row[order] = np.arange(len(order), dtype=np.uint32)
        with closing(sqlite3.connect(self._path)) as db:
            db.executescript(_SCHEMA)
            db.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
            db.executemany("INSERT INTO conversations VALUES (?, ?)", ((c, covered.get(c, 0)) for c in ids))
            bodies = ((name, column[order].astype("<u4").tobytes()) for name, column in columns.items())
            db.executemany("INSERT INTO columns VALUES (?, ?)", bodies)
            db.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", self._inversion.postings(new_row))
            db.commit()
            if (check := db.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
                raise Damaged(f"{self._path.name} was written and is not whole: {check}")


class FullText:
    """Answers from a finished file, whose sha256 the caller has checked; may be used from several threads.

    Every method raises Damaged when the file is not what it should be.
    """

    def __init__(self, path: Path) -> None:
        import numpy as np

        self._path = path
        self._lock = threading.Lock()
        with self._reading(), ExitStack() as opened:
            uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
            self._db = opened.enter_context(closing(sqlite3.connect(uri, uri=True, check_same_thread=False)))
            if self._db.execute("SELECT value FROM meta WHERE name = 'format'").fetchone() != (FORMAT,):
                raise ValueError(f"its format is not {FORMAT}")
            self.covered: dict[str, int] = dict(self._db.execute("SELECT id, next_n FROM conversations ORDER BY id"))
            self._ids = list(self.covered)
            bodies = dict(self._db.execute("SELECT name, body FROM columns"))
            columns = [np.frombuffer(bodies[name], "<u4") for name in COLUMNS]
            self._conversation, self._n, self._day, self._length = columns
            if len({*map(len, columns)}) != 1 or (self._conversation >= len(self._ids)).any():
                raise ValueError("its columns do not fit together")
            opened.pop_all()

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    def places(self) -> frozenset[tuple[str, int]]:
        """Returns (conversation, n) of every message in the file."""
        return frozenset(self._place(row) for row in range(len(self._n)))

    def covers(self, conversation: str, n: int) -> bool:
        """Tells whether the message was in the index when the file was made."""
        return n < self.covered.get(conversation, 0)

    def candidates(
        self,
        query: str,
        *,
        limit: int,
        newest_before: Moment | None = None,
        days: Days | None = None,
        conversation: str | None = None,
    ) -> Iterator[tuple[str, int]]:
        """Returns (conversation, n) of at most `limit` messages that may hold the query, newest first.

        The order is (day, conversation, n), descending; `newest_before` is the last one seen, to go on behind it.
        `days` are (first, last), inclusive. A message that holds the folded query is always among them.
        """
        with self._reading():
            rows = self._holding(fold(query))
            first, end = self._span(days)
            if newest_before is not None:
                end = min(end, self._rows_before(newest_before))
            rows = rows[rows.searchsorted(first) : rows.searchsorted(max(first, end))]
            if conversation is not None:
                rows = rows[self._conversation[rows] == self._position(conversation)]
            found = [self._place(row) for row in rows[::-1][:limit].tolist()]
        return iter(found)

    def statistics(self, terms: Sequence[str]) -> Statistics:
        """Returns the file's documents, in how many each term is, and the sum of their lengths in terms."""
        with self._reading():
            frequency = {term: self._documents(term_key(term)) for term in terms}
            return Statistics(len(self._n), frequency, int(self._length.sum(dtype="u8")))

    def bm25(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        days: Days | None = None,
        conversation: str | None = None,
        statistics: Statistics | None = None,
    ) -> list[tuple[str, int, float]]:
        """Returns (conversation, n, score) of the best messages, best first, the newer first among equals.

        `statistics` are of the whole collection the file is a part of; by default those of the file alone. `days` are
        (first, last), inclusive.
        """
        import numpy as np

        statistics = self.statistics(terms) if statistics is None else statistics
        with self._reading():
            scores = words.bm25(terms, lambda term: self._postings(term_key(term)), self._length, statistics)
            first, end = self._span(days)
            scores[:first] = scores[max(first, end) :] = 0
            if conversation is not None:
                scores[self._conversation != self._position(conversation)] = 0
            rows = np.flatnonzero(scores)
            if len(rows) > limit > 0:
                rows = rows[scores[rows] >= np.partition(scores[rows], -limit)[-limit]]
            best = rows[np.lexsort((-rows, -scores[rows]))][:limit].tolist()
            return [(*self._place(row), float(scores[row])) for row in best]

    def _holding(self, folded: str) -> "NDArray[np.uint32]":
        import numpy as np

        grams = [folded] if len(folded) == 1 else [folded[i : i + 2] for i in range(len(folded) - 1)]
        keys = [gram_key(gram) for gram in dict.fromkeys(grams)][:QUERY_GRAMS_MAX]
        rarest = sorted((self._documents(key), key) for key in keys)[:INTERSECTED_MAX]
        rows = self._postings(rarest[0][1])[0] if rarest else np.zeros(0, np.uint32)
        for _, key in rarest[1:]:
            if not len(rows):
                break
            others = self._postings(key)[0]
            at = np.minimum(np.searchsorted(others, rows), len(others) - 1)
            rows = rows[others[at] == rows]
        return rows

    def _span(self, days: Days | None) -> tuple[int, int]:
        if days is None:
            return 0, len(self._day)
        return int(self._day.searchsorted(days[0])), int(self._day.searchsorted(days[1], "right"))

    def _rows_before(self, moment: Moment) -> int:
        day, conversation, n = moment
        position = bisect_left(self._ids, conversation)
        first, end = self._span((day, day))
        start = first + int(self._conversation[first:end].searchsorted(position))
        if conversation not in self.covered:
            return start
        stop = first + int(self._conversation[first:end].searchsorted(position, "right"))
        return start + int(self._n[start:stop].searchsorted(n))

    def _position(self, conversation: str) -> int:
        return bisect_left(self._ids, conversation) if conversation in self.covered else len(self._ids)

    def _place(self, row: int) -> tuple[str, int]:
        return self._ids[self._conversation[row]], int(self._n[row])

    def _documents(self, key: int) -> int:
        found = self._db.execute("SELECT documents FROM postings WHERE key = ?", (key,)).fetchone()
        return int(found[0]) if found else 0

    def _postings(self, key: int) -> Postings:
        found = self._db.execute("SELECT key, documents, rows, counts FROM postings WHERE key = ?", (key,)).fetchone()
        return decode(PostingList(*found) if found else PostingList(key, 0, b"", None))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except (sqlite3.Error, zlib.error, ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise Damaged(f"the full text {self._path.name} cannot be read: {error}; fts builds it anew") from error
