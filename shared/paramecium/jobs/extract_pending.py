"""What notes are still to be taken of: which conversations, in which order, and their batches.

An arrival may be lost, or hidden behind one of a clock that was ahead: so once a day the whole archive is looked
through. Only the path of a conversation is read. What was imported is read only when a person asked for its
conversation.
Invariant: every message that is on the path when it is looked at is in a batch, waits, or was read; one that comes onto
the path later, since another branch was chosen, is read then.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from paramecium.archive.conversations import Archive
from paramecium.jobs.extract_cursor import Cursor, Stream
from paramecium.jobs.import_file import CLIENT
from paramecium.memories.batches import Batch, batches
from paramecium.memories.spoken import Spoken, spoken_from
from paramecium.messages import Entry, path
from paramecium.recall.fresh import LOOK_BACK, since_arrival
from paramecium.store.keys import Arrival

SILENCE: Final = timedelta(hours=1)
TAIL: Final = 16
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Named(NamedTuple):
    """Is what the arrivals since the cursor tell: all of them, and the conversations with news, newest first."""

    arrivals: tuple[Arrival, ...]
    last: Mapping[str, datetime]

    def handled(self, cursor: Cursor, now: datetime) -> str:
        """Returns the last arrival before which nothing is unread, "" for none; one of the future settles nothing."""
        key = ""
        for arrival in self.arrivals:
            if arrival.n >= cursor.conversations.get(arrival.conversation, 0):
                break
            key = arrival.key if arrival.moment <= now else key
        return key

    def is_silent(self, conversation: str, now: datetime) -> bool:
        """Tells whether nothing came for an hour; a moment far in the future is a wrong clock's and tells nothing."""
        last = self.last.get(conversation)
        return last is None or not now - SILENCE < last <= now + LOOK_BACK


class Reading(NamedTuple):
    """Is one stream of a conversation as it is to be read from position `base` on.

    `end` is the position once all is read, `rest` counts messages that wait for silence. `on_path` are the ids of the
    messages on the path from number `first` on; `turned` tells that it is another path than the one that was read.
    """

    stream: Stream
    base: int
    end: int
    batches: tuple[Batch, ...]
    rest: int
    on_path: frozenset[str]
    turned: bool
    first: int


def named(archive: Archive, cursor: Cursor, now: datetime, *, listing: bool = False) -> Named:
    """Returns what arrived from an hour before the cursor on, and with `listing` what no arrival told of, oldest."""
    arrivals = tuple(archive.arrivals(since_arrival(cursor.arrivals, now)))
    news = (a for a in arrivals if a.n >= cursor.conversations.get(a.conversation, 0))
    last: dict[str, datetime] = {}
    for arrival in news:
        last[arrival.conversation] = max(arrival.moment, last.get(arrival.conversation, arrival.moment))
    for conversation, block in archive.heads() if listing else ():
        if block >= cursor.conversations.get(conversation, 0):
            last.setdefault(conversation, _LONG_AGO)
    newest = sorted(last, key=lambda conversation: last[conversation], reverse=True)
    return Named(arrivals, {conversation: last[conversation] for conversation in newest})


def is_idle(cursor: Cursor, named: Named, now: datetime) -> bool:
    """Tells whether there is nothing to do, and the run before came to its end: the arrivals are settled last."""
    is_settled = named.handled(cursor, now) <= cursor.arrivals
    return is_settled and not (named.last or cursor.unchecked or asked(cursor))


def asked(cursor: Cursor) -> list[str]:
    """Returns the imported conversations that are to be read, oldest first; those without a date come last."""
    waiting = [conversation for conversation, a in cursor.asked.items() if a["left"]]
    return sorted(waiting, key=lambda conversation: cursor.asked[conversation]["at"] or "~")


def unread(archive: Archive, conversation: str, base: int) -> tuple[Entry, ...]:
    """Returns the entries from shortly before position `base` on if each follows the one before it, else all of them.

    Then nothing that was said earlier can have come onto the path or left it, and a talk of years costs no more to
    read on in than a short one. Raises what Archive.read does.
    """
    tail = archive.read(conversation, base - TAIL) if base > 0 else ()
    straight = all(e.kind == "message" for e in tail) and all(b.parent == a.id for a, b in pairwise(tail))
    return tail if tail and tail[0].n < base and straight else archive.read(conversation)


def reading(entries: Sequence[Entry], stream: Stream, base: int, *, silent: bool) -> Reading:
    """Returns how a stream is to be read from position `base` on."""
    walked = path(entries)
    before = {entry.id for entry in path([entry for entry in entries if entry.n < base])}
    passed = {entry.id: entry.n for entry in walked if entry.n < base}
    from_n = min((n for ident, n in passed.items() if ident not in before), default=base)
    said = spoken(walked, stream)
    found = batches(said, from_n, silent=silent)
    upto = found[-1].upto if found else from_n
    rest = sum(s.n >= upto for s in said)
    on_path = frozenset(entry.id for entry in walked)
    return Reading(stream, base, entries[-1].n + 1, found, rest, on_path, set(passed) != before, entries[0].n)


def spoken(walked: Sequence[Entry], stream: Stream) -> list[Spoken]:
    """Returns the words on a path that belong to a stream."""
    of_stream = (entry for entry in walked if (entry.source.get("client") == CLIENT) == stream.is_import)
    return [said for entry in of_stream if (said := spoken_from(stream.conversation, entry))]
