"""Objects of the index that nobody names any more.

Invariant: cleared is only what neither a manifest that stands nor one of the last 24 hours names, and what was made
more than 24 hours ago: a job that is just writing has not named its objects yet.
"""

import hashlib
from datetime import datetime, timedelta
from pathlib import Path

from paramecium import clock
from paramecium.errors import Damaged, KeyMissing
from paramecium.index.manifest import RETIRED_FOR, ObjectName, read_manifest
from paramecium.jobs.indexer import Indexer
from paramecium.store import keys


def orphans(indexer: Indexer, older_than: timedelta = RETIRED_FOR) -> list[str]:
    """Returns the keys of the index's objects that may be cleared."""
    manifests = (keys.manifest(indexer.life), keys.next_manifest(indexer.life))
    named: set[str] = set(manifests)
    for key in manifests:
        manifest = read_manifest(indexer.store, key).manifest
        named |= {o.key for o in manifest.objects()} | {r.key for r in manifest.retired}
    since = indexer.now() - older_than
    found = indexer.store.list(keys.index_objects(indexer.life))
    return [key for key in found if key not in named and _made_before(key, since)]


def clear(indexer: Indexer) -> int:
    """Clears the orphans and returns how many there were; a damaged manifest clears nothing."""
    try:
        gone = orphans(indexer)
    except Damaged:
        return 0
    for key in gone:
        indexer.store.delete(key)
    return len(gone)


def is_whole(indexer: Indexer, name: ObjectName) -> bool:
    """Tells whether an object stands with the bytes its name says."""
    try:
        path = indexer.store.fetch(name.key, Path(indexer.cache.folder))
    except KeyMissing:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == name.sha256


def _made_before(key: str, moment: datetime) -> bool:
    try:
        return clock.id_moment(keys.object_ulid(key)) < moment
    except ValueError:
        return True
