"""Objects of the index that nobody names any more.

Invariant: cleared is only what neither a manifest that stands nor one of the last 24 hours names, and what was made
more than 24 hours ago: a job that is just writing has not named its objects yet. A name that tells no moment is none
that a job of ours gave.
"""

from datetime import UTC, datetime

from paramecium import clock
from paramecium.errors import Damaged
from paramecium.index.manifest import RETIRED_FOR, Manifest, read_manifest
from paramecium.jobs.indexer import Indexer
from paramecium.store import keys

_EVER = datetime.min.replace(tzinfo=UTC)


def orphans(indexer: Indexer) -> list[str]:
    """Returns the keys of objects older than 24 h that no manifest names, neither as live nor as retired.

    Killed runs leave them. Raises Damaged when a manifest cannot be read.
    """
    return _unnamed(indexer, _EVER)


def clear(indexer: Indexer) -> int:
    """Clears the orphans and what was retired more than 24 h ago, and returns how many objects that were.

    A damaged manifest clears nothing.
    """
    try:
        gone = _unnamed(indexer, indexer.now() - RETIRED_FOR)
    except Damaged:
        return 0
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
    made_until = indexer.now() - RETIRED_FOR
    found = indexer.store.list(keys.index_objects(indexer.life))
    return [key for key in found if key not in named and _made_before(key, made_until)]


def _made_before(key: str, moment: datetime) -> bool:
    try:
        return clock.id_moment(keys.object_ulid(key)) < moment
    except (ValueError, OverflowError):
        return True
