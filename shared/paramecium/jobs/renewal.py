"""An index made anew beside the one that serves: after a change of model, of the way of cutting, or damage.

The old index serves (by words, where its model is gone) until the new one is whole, over as many runs as that takes.
Invariant: the new manifest is put in place in one write, once it covers what the archive holds.
"""

from dataclasses import replace

from paramecium.errors import Damaged, KeyMissing
from paramecium.index.manifest import Manifest, Standing, read_manifest
from paramecium.index.passages import VERSION as PASSAGES_VERSION
from paramecium.jobs.indexer import Indexer
from paramecium.store import keys


def needed(indexer: Indexer) -> bool:
    """Tells whether the index must be made anew, or is being made anew already."""
    try:
        manifest = indexer.standing().manifest
    except Damaged:
        return True
    other = bool(manifest.segments) and (
        manifest.model != indexer.embedder.id or manifest.passages_version != PASSAGES_VERSION
    )
    return other or _begun(indexer) or _damaged(indexer, manifest)


def beside(indexer: Indexer) -> Indexer:
    """Returns an indexer that writes the new index; one begun with another model is begun again."""
    other = replace(indexer, slot=keys.next_manifest(indexer.life))
    try:
        manifest = other.standing().manifest
        sound = manifest.model in ("", indexer.embedder.id) and not _damaged(other, manifest)
    except Damaged:
        sound = False
    if not sound:
        begin_again(indexer)
    return other


def begin_again(indexer: Indexer) -> None:
    """Forgets a new index that was begun; its objects are cleared as any that no manifest names."""
    indexer.store.delete(keys.next_manifest(indexer.life))


def put_in_place(indexer: Indexer, other: Indexer) -> Standing:
    """Returns what stands after the new index serves in the old one's place."""
    new = other.standing().manifest
    standing = _standing_or_none(indexer)
    new = replace(new, fulltext=None, retired=standing.manifest.retired)
    placed = indexer.write(standing, new, rebuilt=True)
    begin_again(indexer)
    return placed


def _standing_or_none(indexer: Indexer) -> Standing:
    """What stands; a manifest that cannot be read is as good as none, and is replaced by its version."""
    try:
        return indexer.standing()
    except Damaged:
        return Standing(Manifest(), indexer.store.get(indexer.key).version)


def _begun(indexer: Indexer) -> bool:
    try:
        return read_manifest(indexer.store, keys.next_manifest(indexer.life)).version is not None
    except Damaged:
        return True


def _damaged(indexer: Indexer, manifest: Manifest) -> bool:
    """Each segment is opened, and so hashed, once a process."""
    try:
        for name in manifest.segments:
            indexer.cache.open(name)
    except (Damaged, KeyMissing):
        return True
    return False
