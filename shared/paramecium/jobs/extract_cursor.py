"""Up to where notes were taken: the cursor of the extract job, which all its workers share.

For each conversation it keeps two positions: one for what was said here, one for what was imported, if a person asked
for it. It also counts the day's calls and the tries of a batch, and names the memories that were not yet compared.
Invariant: a position is changed only after what lies before it was read; a cursor that is lost or damaged starts over,
which costs calls and changes nothing, since what was noted is not noted twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from paramecium import clock
from paramecium.errors import BadId, Damaged
from paramecium.messages import Json
from paramecium.store import keys, record
from paramecium.store.base import ObjectStore

JOB: Final = "extract"
TRIES_MAX: Final = 3
_BLANK: Final[Json] = {
    "arrivals": "", "conversations": {}, "asked": {}, "unchecked": [], "day": "", "calls": 0, "tries": {}, "at": "",
    "listed": "",
}  # fmt: skip

Permit = Literal["granted", "limit", "moved"]


class Stream(NamedTuple):
    """Is what was said in a conversation here, or what of it was imported."""

    conversation: str
    is_import: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """Is the cursor as it was read; `asked` maps conversations of imports to {"n", "left", "at"}.

    `n` is the position, `left` how many messages wait behind it, `at` the date of the first message (ISO or empty).
    `listed` is the day on which the whole archive was last looked through for what no arrival told of.
    """

    arrivals: str
    conversations: Mapping[str, int]
    asked: Mapping[str, Json]
    unchecked: tuple[str, ...]
    day: str
    calls: int
    listed: str = ""

    def position(self, stream: Stream) -> int:
        """Returns the number of the first entry that was not read."""
        if stream.is_import:
            return int(self.asked.get(stream.conversation, {}).get("n", 0))
        return self.conversations.get(stream.conversation, 0)


class Move(NamedTuple):
    """Says that a stream was read from position `base` up to `upto`; of an import, `left` messages wait behind it."""

    stream: Stream
    base: int
    upto: int
    left: int = 0


class CursorKeeper:
    """Reads and changes the cursor of one life for one run."""

    def __init__(
        self, store: ObjectStore, life: str, *, timezone: str, calls_per_day: int, now: clock.Now = clock.now
    ) -> None:
        self._store, self._key, self._now = store, keys.cursor(life, JOB), now
        self._zone, self._calls_per_day = ZoneInfo(timezone), calls_per_day
        self._writer = clock.new_id(now())

    def read(self) -> Cursor:
        """Returns the cursor; one that is damaged is cleared first."""
        try:
            return _cursor(record.read(self._store, self._key).value)
        except Damaged:
            self._store.delete(self._key)
            return _cursor({})

    def take_call(self, stream: Stream | None = None, base: int = 0) -> Permit:
        """Counts a call of today, unless the limit is reached or another worker has moved the stream from `base`."""
        permit: Permit = "granted"

        def make(value: Json) -> Json | None:
            nonlocal permit
            cursor = _cursor(value)
            permit = "granted"
            if stream is not None and cursor.position(stream) != base:
                permit = "moved"
            elif self.left_of(cursor) < 1:
                permit = "limit"
            return None if permit != "granted" else self._counted(value, cursor, 1)

        self._change(make)
        return permit

    def give_back(self) -> None:
        """Takes back the count of a call that reached no model."""
        self._change(lambda value: self._counted(value, _cursor(value), -1))

    def calls_left(self) -> int:
        """Returns how many calls today still has."""
        return self.left_of(self.read())

    def left_of(self, cursor: Cursor) -> int:
        """Returns how many calls today has beside those a cursor counts."""
        return max(self._calls_per_day - (cursor.calls if cursor.day == self._today() else 0), 0)

    def is_to_list(self, cursor: Cursor) -> bool:
        """Tells whether the whole archive was not yet looked through today."""
        return cursor.listed != self._today()

    def note_unchecked(self, ids: Sequence[str]) -> None:
        """Remembers memories that are about to be stored and then compared with earlier ones."""
        self._change(lambda value: {"unchecked": list(dict.fromkeys([*value["unchecked"], *ids]))})

    def count_try(self, name: str) -> int:
        """Counts a try of a batch in vain and returns how many there were."""
        count = 0

        def make(value: Json) -> Json:
            nonlocal count
            count = int(value["tries"].get(name, 0)) + 1
            return {"tries": {**value["tries"], name: count}}

        self._change(make)
        return count

    def end(self, arrivals: str, *, listed: bool) -> None:
        """Writes the last arrival before which nothing is unread, and that the archive was looked through today."""

        def make(value: Json) -> Json:
            moved = {"arrivals": max(arrivals, value["arrivals"])}
            return moved | ({"listed": self._today()} if listed else {})

        self._change(make)

    def move(self, moves: Sequence[Move], *, checked: Sequence[str] = (), tried: str = "") -> None:
        """Writes positions, and with them what else was settled."""

        def make(value: Json) -> Json:
            conversations, asked = dict(value["conversations"]), dict(value["asked"])
            for stream, base, upto, left in moves:
                stands = _cursor(value).position(stream)
                # Who reads what another has read meanwhile never takes its position back.
                n = upto if stands == base else max(stands, upto)
                if stream.is_import:
                    asked[stream.conversation] = asked.get(stream.conversation, {"at": ""}) | {"n": n, "left": left}
                else:
                    conversations[stream.conversation] = n
            return {
                "conversations": conversations,
                "asked": asked,
                "unchecked": [i for i in value["unchecked"] if i not in set(checked)],
                "tries": {name: count for name, count in value["tries"].items() if name != tried},
            }

        self._change(make)

    def ask_for(self, wanted: Mapping[str, Json]) -> None:
        """Marks imported conversations to be read, each with its {"n", "left", "at"}; what was read stays read."""
        self._change(lambda value: {"asked": {**value["asked"], **wanted}})

    def _change(self, make: Callable[[Json], Json | None]) -> None:
        def changed(value: Json) -> Json | None:
            made = make(_BLANK | value)
            return None if made is None else _BLANK | value | made | {"at": self._now().isoformat()}

        record.change(self._store, self._key, changed, self._writer)

    def _counted(self, value: Json, cursor: Cursor, by: int) -> Json:
        today = self._today()
        calls = cursor.calls if cursor.day == today else 0
        return value | {"day": today, "calls": max(calls + by, 0)}

    def _today(self) -> str:
        return self._now().astimezone(self._zone).date().isoformat()


def _cursor(value: Mapping[str, Any]) -> Cursor:
    """Returns the cursor a document stands for; raises Damaged when it is none."""
    filled = _BLANK | dict(value)
    if any(type(filled[name]) is not type(blank) for name, blank in _BLANK.items()):
        raise Damaged("the cursor of extract has a wrong field")
    try:
        if filled["arrivals"]:
            keys.read_arrival(filled["arrivals"])
        conversations = {conv: int(n) for conv, n in filled["conversations"].items()}
        asked = {
            conv: {"n": int(a["n"]), "left": int(a["left"]), "at": str(a["at"])} for conv, a in filled["asked"].items()
        }
        tries = {name: int(count) for name, count in filled["tries"].items()}
        if not {type(name) for name in (*filled["unchecked"], *tries)} <= {str}:
            raise TypeError("a name that is none")
    except (BadId, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Damaged("the cursor of extract has a wrong field") from error
    unchecked = tuple(filled["unchecked"])
    return Cursor(filled["arrivals"], conversations, asked, unchecked, filled["day"], filled["calls"], filled["listed"])
