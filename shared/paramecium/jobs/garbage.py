"""Objects of the index, and blocks of the memories, that nobody names any more.

Invariant: cleared is only what neither a manifest (or, of the memories, a snapshot) that stands nor one of the last 24
hours names, and what was made more than 24 hours ago: a job that is just writing has not named its objects yet. A name
that tells no moment is none that a job of ours gave. Nothing outside of `derived/` is ever looked at.
"""

from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime

from paramecium import clock
from paramecium.errors import Damaged, KeyMissing
from paramecium.index.manifest import RETIRED_FOR, Manifest, read_manifest
from paramecium.jobs.indexer import Indexer
from paramecium.memories.snapshot import read_pointer
from paramecium.memories.snapshot_form import Pointer
from paramecium.store import keys

_EVER = datetime.min.replace(tzinfo=UTC)


def orphans(indexer: Indexer) -> list[str]:
    """Returns the keys of objects older than 24 h that no manifest or snapshot names, neither as live nor as retired.

    Killed runs leave them. Raises Damaged when one of these cannot be read.
    """
    return [*_unnamed(indexer, _EVER), *_unnamed_blocks(indexer, _EVER)]


def clear(indexer: Indexer) -> int:
    """Clears the orphans and what was retired more than 24 h ago, and returns how many objects that were.

    A damaged manifest clears nothing of the index, a damaged snapshot nothing of the memories.
    """
    gone: list[str] = []
    for unnamed in (_unnamed, _unnamed_blocks):
        with suppress(Damaged):
            gone += unnamed(indexer, indexer.now() - RETIRED_FOR)
    for key in gone:
        indexer.store.delete(key)
    return len(gone)


def manifests(indexer: Indexer) -> dict[str, Manifest]:
    """Returns the manifests that stand, by key; raises Damaged.

    The new one is read first: when it is put in place between the two reads, one of them shows it.
    """
    both = (keys.next_manifest(indexer.life), keys.manifest(indexer.life))
    return {key: read_manifest(indexer.store, key).manifest for key in both}


def _unnamed(indexer: Indexer, retired_since: datetime) -> list[str]:
    standing = manifests(indexer)
    named = set(standing)
    for manifest in standing.values():
        named |= {o.key for o in manifest.objects()}
        named |= {r.key for r in manifest.retired if datetime.fromisoformat(r.at) > retired_since}
    return _made_long_ago(indexer, keys.index_objects(indexer.life), named)


def _unnamed_blocks(indexer: Indexer, retired_since: datetime) -> list[str]:
    key = keys.memory_snapshot(indexer.life)
    try:
        pointer = read_pointer(indexer.store.get(key), indexer.life)
    except KeyMissing:
        pointer = Pointer()
    named = {o.key for o in pointer.objects()}
    named |= {r.key for r in pointer.retired if datetime.fromisoformat(r.at) > retired_since}
    return _made_long_ago(indexer, keys.memory_blocks(indexer.life), named)


def _made_long_ago(indexer: Indexer, prefix: str, named: Collection[str]) -> list[str]:
    made_until = indexer.now() - RETIRED_FOR
    found = indexer.store.list(prefix)
    return [key for key in found if key not in named and _made_before(key, made_until)]


def _made_before(key: str, moment: datetime) -> bool:
    try:
        return clock.id_moment(keys.object_ulid(key)) < moment
    except (ValueError, OverflowError):
        return True
