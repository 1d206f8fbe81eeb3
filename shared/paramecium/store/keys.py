"""Every key of the store, in one place; nobody else joins strings to keys.

`<life>/` holds what is canonical, by hand or made by a model; `derived/<life>/` what one command rebuilds;
`papers/<life>/` working papers that expire.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from paramecium.errors import BadId

_LIFE = re.compile(r"[a-z0-9-]{1,40}\Z")
_RESERVED = ("derived", "papers")
DOCUMENT_KINDS = ("profile", "facts", "diary", "memos")
_EVENT = re.compile(r".*/memories/events/(\d{8})\.json\Z")
_ARRIVAL = re.compile(r".*/arrivals/(\d{4}-\d\d-\d\d)/(\d{9})-([a-z0-9-]{1,64})-(\d{1,8})\Z")


def check_life(life: str) -> str:
    """Returns `life` if it may name a life; raises BadId otherwise."""
    if not _LIFE.match(life) or life in _RESERVED:
        raise BadId(f"not a name for a life: {life!r:.60}; it takes a-z, 0-9 and -, and is neither derived nor papers")
    return life


def conversations(life: str) -> str:
    """Returns the prefix of every conversation's folder."""
    return f"{life}/archive/conversations/"


def conversation(life: str, conv: str) -> str:
    """Returns the prefix of the blocks of one conversation."""
    return f"{conversations(life)}{conv}/"


def block(life: str, conv: str, n: int) -> str:
    """Returns the key of the block whose first entry is number `n`."""
    return f"{conversation(life, conv)}{n:08d}.json"


def block_number(key: str) -> tuple[str, int]:
    """Returns conversation and first number of a block's key."""
    conv, _, name = key.rpartition("/")
    return conv.rpartition("/")[2], int(name.removesuffix(".json"))


class Arrival(NamedTuple):
    """Says that a block of a conversation was written: when, where, and its first number."""

    key: str
    moment: datetime
    conversation: str
    n: int


def arrivals(life: str, day: str = "") -> str:
    """Returns the prefix of all arrivals, or of those of one UTC day (YYYY-MM-DD)."""
    return f"{life}/archive/arrivals/{day}{'/' if day else ''}"


def arrival(life: str, moment: datetime, conv: str, n: int) -> str:
    """Returns the key of the arrival of block `n`, written at `moment` (UTC)."""
    moment = moment.astimezone(UTC)
    return f"{arrivals(life, f'{moment:%Y-%m-%d}')}{moment:%H%M%S}{moment.microsecond // 1000:03d}-{conv}-{n}"


def read_arrival(key: str) -> Arrival:
    """Returns what an arrival's key says; raises BadId for what is none."""
    match = _ARRIVAL.match(key)
    if not match:
        raise BadId(f"not an arrival: {key!r:.120}")
    day, clock, conv, n = match.groups()
    try:
        moment = datetime.strptime(f"{day}{clock[:6]}", "%Y-%m-%d%H%M%S").replace(tzinfo=UTC)
    except ValueError as error:
        raise BadId(f"an arrival at no moment: {key!r:.120}") from error
    return Arrival(key, moment + timedelta(milliseconds=int(clock[6:])), conv, int(n))


def image(life: str, sha256: str, ext: str) -> str:
    """Returns the key of an original image."""
    return f"{life}/archive/images/{sha256}.{ext}"


def head(life: str, sha256: str) -> str:
    """Returns the key of an epoch's system blocks and tools."""
    return f"{life}/archive/heads/{sha256}.json"


def events(life: str) -> str:
    """Returns the prefix of the ledger's events."""
    return f"{life}/memories/events/"


def event(life: str, n: int) -> str:
    """Returns the key of the ledger's event number `n`, from 0."""
    return f"{events(life)}{n:08d}.json"


def event_number(key: str) -> int | None:
    """Returns the number in an event's key, None for what is no event."""
    match = _EVENT.match(key)
    return int(match[1]) if match else None


def file(life: str, sha256: str) -> str:
    """Returns the key of an original text under the hash of its bytes: a version of a document, once it was found."""
    return f"{life}/archive/files/{sha256}"


def documents(life: str, kind: str) -> str:
    """Returns the prefix of the documents written by hand; `kind` is profile, facts, diary or memos."""
    if kind not in DOCUMENT_KINDS:
        raise BadId(f"not a kind of document: {kind!r:.40}")
    return f"{life}/{kind}/"


def document(life: str, path: str) -> str:
    """Returns the key of a document written by hand; `path` is its key below the life, as facts/茶.md."""
    kind, _, name = path.partition("/")
    return documents(life, kind) + name


def fact_path(name: str) -> str:
    """Returns the path below the life of the fact in the file of this name."""
    return f"facts/{name}"


def derived(life: str) -> str:
    """Returns the prefix of everything that can be rebuilt."""
    return f"derived/{life}/"


def manifest(life: str) -> str:
    """Returns the key of the index's manifest."""
    return f"derived/{life}/index/manifest.json"


def next_manifest(life: str) -> str:
    """Returns the key of the manifest of an index that is being made anew beside the one that serves."""
    return f"derived/{life}/index/next.json"


def segment(life: str, ulid: str, part: str) -> str:
    """Returns the key of a segment's part, "vectors" or "words"."""
    return f"derived/{life}/index/segments/{ulid}.{part}"


def fulltext(life: str, ulid: str) -> str:
    """Returns the key of a full text file."""
    return f"derived/{life}/index/fulltext/{ulid}.sqlite"


def index_objects(life: str) -> str:
    """Returns the prefix of all objects of the index."""
    return f"derived/{life}/index/"


def object_ulid(key: str) -> str:
    """Returns the ULID in the name of a segment's or full text's key."""
    return key.rpartition("/")[2].partition(".")[0]


def memory_snapshot(life: str) -> str:
    """Returns the key of the pointer to what the ledger was last folded into."""
    return f"derived/{life}/memories/snapshot.json"


def memory_blocks(life: str) -> str:
    """Returns the prefix of the blocks a memory snapshot names."""
    return f"derived/{life}/memories/blocks/"


def memory_block(life: str, ulid: str) -> str:
    """Returns the key of a block of folded state, or of vectors."""
    return f"{memory_blocks(life)}{ulid}.block"


def good_documents(life: str) -> str:
    """Returns the key of the last good text of every document written by hand."""
    return f"derived/{life}/documents/good.json"


def set_aside(life: str, job: str, name: str) -> str:
    """Returns the key of what a job has given up on, kept for a person to look at."""
    return f"papers/{life}/set_aside/{job}/{name}.json"


def cursor(life: str, job: str) -> str:
    """Returns the key of a job's cursor: when it last succeeded, and up to where."""
    return f"derived/{life}/cursors/{job}.json"


def stop(life: str, turn: str) -> str:
    """Returns the key whose presence asks a turn to stop."""
    return f"papers/{life}/stops/{turn}"
