"""A JSON document that many writers change: read, change, replace if nobody was faster, else again.

Every document carries `generation` and `writer`: the generation makes each body new, so a version (an ETag is a hash
of the body) never comes back, and the writer lets an unknown outcome be recognised as one's own.
Invariant: of two writers that read the same generation, one wins and the other starts again from what it wrote.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paramecium import clock
from paramecium.errors import (
    AlreadyExists,
    BadInput,
    Damaged,
    KeyMissing,
    OutcomeUnknown,
    StoreUnavailable,
    VersionMismatch,
)
from paramecium.messages import Json, dump_json, load_json
from paramecium.store.base import ObjectStore

TRIES_MAX = 200
_PAUSE_S = 0.002
_PAUSE_MAX_S = 0.1


@dataclass(frozen=True, slots=True)
class Record:
    """Is a document as read; `version` is None when there is none yet and `value` the default."""

    value: Json
    version: str | None

    @property
    def generation(self) -> int:
        """Returns how often the document was written."""
        return int(self.value.get("generation", 0))


def read(store: ObjectStore, key: str) -> Record:
    """Returns the document, or an empty one where there is none; raises Damaged when it is not a JSON object."""
    try:
        blob = store.get(key)
    except KeyMissing:
        return Record({}, None)
    return Record(parse(key, blob.body), blob.version)


def parse(key: str, body: bytes) -> Json:
    """Returns the JSON object in `body`; raises Damaged naming `key`."""
    try:
        value: Any = load_json(body)
    except BadInput as error:
        raise Damaged(f"{key}: {error}") from error
    if not isinstance(value, dict):
        raise Damaged(f"{key}: not a JSON object")
    return value


def write(store: ObjectStore, key: str, based_on: Record, value: Json, writer: str) -> Record:
    """Returns the document written over `based_on`.

    `writer` names one process or run, not a role: two that share a name can write equal bytes, and each would take
    the other's for its own.
    Raises VersionMismatch when somebody else wrote since, and OutcomeUnknown when even reading back does not tell.
    """
    value = {**value, "generation": based_on.generation + 1, "writer": writer}
    body = dump_json(value)
    try:
        if based_on.version is None:
            return Record(value, store.create(key, body))
        return Record(value, store.replace(key, body, based_on.version))
    except AlreadyExists as error:
        raise VersionMismatch(f"{key} was created by another writer") from error
    except OutcomeUnknown:
        version = _own_version(store, key, body)
        if version is None:
            raise
        return Record(value, version)


def change(store: ObjectStore, key: str, make: Callable[[Json], Json | None], writer: str) -> Record:
    """Returns the document after `make` was applied to what stands; `make` may run several times.

    `make` returns the new value, or None to leave all as it is. Raises VersionMismatch after 200 lost races.
    """
    for attempt in range(TRIES_MAX):
        based_on = read(store, key)
        value = make(dict(based_on.value))
        if value is None:
            return based_on
        try:
            return write(store, key, based_on, value, writer)
        except (VersionMismatch, OutcomeUnknown):
            clock.wait(clock.jitter(min(_PAUSE_S * (attempt + 1), _PAUSE_MAX_S)))
    raise VersionMismatch(f"{key}: {TRIES_MAX} writers in a row were faster")


def _own_version(store: ObjectStore, key: str, body: bytes) -> str | None:
    try:
        found = store.get(key)
    except (KeyMissing, StoreUnavailable):
        return None
    return found.version if found.body == body else None
