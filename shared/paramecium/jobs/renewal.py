"""An index made anew beside the one that serves: after a change of model, of the way of cutting, or damage.

The old index serves (by words, where its model is gone) until the new one is whole, over as many runs as that takes.
The new one has begun when its own manifest stands, and has ended when that is gone.
Invariant: the new manifest is put in place in one write, once, and only when it covers what the archive holds.
"""

from contextlib import suppress
from dataclasses import replace

from paramecium.errors import Damaged, KeyMissing, VersionMismatch
from paramecium.index.manifest import Manifest, SegmentName, Standing, read_manifest
from paramecium.index.passages import VERSION as PASSAGES_VERSION
from paramecium.jobs.indexer import Indexer
from paramecium.store import keys

TRIES_MAX = 5


def needed(indexer: Indexer, *, check: bool = True) -> bool:
    """Tells whether the index must be made anew, or is being made anew already.

    With `check` all that the manifest names is looked for, opened, and so hashed; else only manifests are read.
    """
    try:
        manifest = indexer.standing().manifest
    except Damaged:
        return True
    other = bool(manifest.segments) and not indexer.same_kind(manifest)
    return other or _begun(indexer) or (check and _damaged(indexer, manifest))


def beside(indexer: Indexer) -> Indexer:
    """Returns an indexer that writes the new index, which is begun if none is; one of another kind is begun again."""
    other = replace(indexer, slot=keys.next_manifest(indexer.life))
    try:
        standing = other.standing()
        sound = standing.version is None or (
            other.same_kind(standing.manifest) and not _damaged(other, standing.manifest)
        )
    except Damaged:
        standing, sound = Standing(Manifest(), None), False
    if not sound:
        begin_again(indexer)
    if not sound or standing.version is None:
        with suppress(VersionMismatch):  # then another run has begun it
            begun = Manifest(model=indexer.embedder.id, passages_version=PASSAGES_VERSION)
            other.write(Standing(Manifest(), None), begun)
    return other


def begin_again(indexer: Indexer) -> None:
    """Forgets a new index that was begun; its objects are cleared as any that no manifest names."""
    indexer.store.delete(keys.next_manifest(indexer.life))


def end(indexer: Indexer) -> bool:
    """Ends a renewal whose run was killed after it put the new index in place, and tells whether there was one.

    What serves may have grown since, and is not to be set back.
    """
    try:
        serving = indexer.standing().manifest
        new = read_manifest(indexer.store, keys.next_manifest(indexer.life))
    except Damaged:
        return False
    if new.version is None or not _is_placed(serving, new.manifest):
        return False
    begin_again(indexer)
    return True


def put_in_place(indexer: Indexer, other: Indexer) -> None:
    """Lets the new index serve in the old one's place, whatever was written to the old one meanwhile.

    Raises VersionMismatch when another run did it, or after 5 lost races.
    """
    for _ in range(TRIES_MAX):
        new = other.standing()
        if new.version is None:
            raise VersionMismatch(f"{indexer.life}: another run put the new index in place")
        standing = _standing_or_none(indexer)
        if not _is_placed(standing.manifest, new.manifest):
            try:
                indexer.write(standing, replace(new.manifest, fulltext=None), rebuilt=True)
            except VersionMismatch:
                continue
        begin_again(indexer)
        return
    raise VersionMismatch(f"{indexer.life}: {TRIES_MAX} writers of the manifest in a row were faster")


def _is_placed(serving: Manifest, new: Manifest) -> bool:
    """What serves, or did within the last day, has parts of the new index, which no other manifest ever names."""
    served = {o.key for o in serving.objects()} | {r.key for r in serving.retired}
    return not served.isdisjoint(o.key for o in new.objects())


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
    """An object may be gone while its download is still here, so they are listed, too."""
    standing = set(indexer.store.list(keys.index_objects(indexer.life))) if manifest.segments else set()
    named = {part.key for name in manifest.segments for part in (name.vectors, name.words)}
    return not named <= standing or not all(_opens(indexer, name, manifest.model) for name in manifest.segments)


def _opens(indexer: Indexer, name: SegmentName, model: str) -> bool:
    """A download that was damaged is gone after the first try; the second one fetches anew."""
    for _ in range(2):
        try:
            return indexer.cache.open(name).model == model
        except Damaged:
            continue
        except KeyMissing:
            return False
    return False
