"""The nightly job: finds lost arrivals, builds the full text over every segment, compacts, clears what nobody names.

Order: what the listing of the archive finds is ingested first, so that the full text holds it too. Invariant: the
manifest names a full text only after the whole file stands, and an object is cleared only when no manifest of the last
24 hours named it.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from paramecium import clock
from paramecium.errors import Damaged, KeyMissing, VersionMismatch
from paramecium.index.fulltext import FullTextWriter
from paramecium.index.manifest import Coverage, Fulltext, Manifest, ObjectName, Standing
from paramecium.index.segment import Segment
from paramecium.jobs import garbage, ingest
from paramecium.jobs.indexer import Indexer
from paramecium.recall.views import open_fulltext
from paramecium.store import keys, record
from paramecium.store.base import ObjectStore

JOB = "fts_build"
TRIES_MAX = 5


@dataclass(frozen=True, slots=True)
class FullTextReport:
    """Counts the messages of the full text, the messages no arrival told of, and the objects that were cleared.

    `unreadable` says of each conversation that could not be read why.
    """

    messages: int = 0
    found: int = 0
    removed: int = 0
    built: bool = False
    unreadable: tuple[str, ...] = ()


def build(indexer: Indexer) -> FullTextReport:
    """Runs the whole job; raises Stopped, StoreUnavailable, ModelMissing, VersionMismatch.

    While a conversation cannot be read nothing is cleared: an older index may be the last to hold its words.
    """
    arrived = ingest.ingest(indexer)
    found = ingest.reconcile(indexer)
    unreadable = tuple(dict.fromkeys((*arrived.unreadable, *found.unreadable)))
    standing = _compacted(indexer)
    built = not _is_current(indexer, standing.manifest)
    if built:
        standing = _with_fulltext(indexer, standing)
    removed = 0 if unreadable else garbage.clear(indexer)
    _succeeded(indexer)
    fulltext = standing.manifest.fulltext
    return FullTextReport(fulltext.messages if fulltext else 0, found.messages, removed, built, unreadable)


def last_success(store: ObjectStore, life: str) -> datetime | None:
    """Returns when the job last ended well."""
    at = record.read(store, keys.cursor(life, JOB)).value.get("at")
    return datetime.fromisoformat(at) if at else None


def _is_current(indexer: Indexer, manifest: Manifest) -> bool:
    """Tells whether the full text covers exactly what the segments hold, and is whole."""
    named = manifest.fulltext
    if named is None:
        return not manifest.segments
    held = sum(s.messages for s in manifest.segments)
    if set(named.segments) != {s.ulid for s in manifest.segments} or named.messages != held:
        return False
    if named.file.key not in indexer.store.list(keys.index_objects(indexer.life)):
        return False  # its download may still be here
    try:
        open_fulltext(indexer.store, named, indexer.cache.folder).close()
    except (Damaged, KeyMissing):
        return False
    return True


def _compacted(indexer: Indexer) -> Standing:
    """Returns what stands with few enough segments, and nothing dead in them.

    An ingest that was faster is compacted with the rest.
    """
    for _ in range(TRIES_MAX):
        standing = indexer.standing()
        manifest = standing.manifest
        segments = tuple(indexer.compacted(indexer.without(manifest.segments, manifest.dead)))
        if segments == manifest.segments and not manifest.dead:
            return standing
        try:
            return indexer.write(standing, replace(manifest, segments=segments, dead=()))
        except VersionMismatch:
            continue
    raise VersionMismatch(f"{indexer.life}: {TRIES_MAX} writers of the manifest in a row were faster")


def _with_fulltext(indexer: Indexer, standing: Standing) -> Standing:
    """Builds over the segments that stand; when an ingest was faster, the file covers a little less, and is right.

    When what stands then covers less (the index was made anew meanwhile), it is built again.
    """
    built, named = standing.manifest, _built(indexer, standing.manifest)
    for _ in range(TRIES_MAX):
        try:
            return indexer.write(standing, replace(standing.manifest, fulltext=named))
        except VersionMismatch:
            standing = indexer.standing()
            if not _reaches(standing.manifest.coverage, built.coverage):
                built, named = standing.manifest, _built(indexer, standing.manifest)
    raise VersionMismatch(f"{indexer.life}: {TRIES_MAX} writers of the manifest in a row were faster")


def _reaches(now: Coverage, then: Coverage) -> bool:
    return all(now.conversations.get(conversation, 0) >= n for conversation, n in then.conversations.items())


def _built(indexer: Indexer, manifest: Manifest) -> Fulltext:
    segments = [indexer.cache.open(name) for name in manifest.segments]
    of = sum(len(s.conv) for s in segments)
    with tempfile.TemporaryDirectory(prefix="paramecium-") as folder:
        path = Path(folder) / "fulltext.sqlite"
        count = 0
        with closing(FullTextWriter(path)) as writer:
            for conversation, n, day, text in _messages(segments):
                writer.add(conversation, n, day, text)
                count += 1
                if count % 1000 == 0:
                    indexer.progress(count, of)
                    indexer.breathe()
            writer.finish(manifest.covered)
        indexer.progress(max(of, 1), max(of, 1))
        body = path.read_bytes()
    key = keys.fulltext(indexer.life, clock.new_id(indexer.now()))
    indexer.store.create(key, body)
    name = ObjectName(key, hashlib.sha256(body).hexdigest(), len(body))
    return Fulltext(name, count, tuple(s.ulid for s in manifest.segments))


def _messages(segments: Sequence[Segment]) -> Iterator[tuple[str, int, int, str]]:
    """Yields each message once: its conversation, number, day and text."""
    for segment in segments:
        names = [segment.conversations[c] for c in segment.conv.tolist()]
        yield from zip(names, segment.n.tolist(), segment.day.tolist(), segment.texts(), strict=True)


def _succeeded(indexer: Indexer) -> None:
    """Notes when; a note that cannot be read is made anew."""
    key, at = keys.cursor(indexer.life, JOB), indexer.now().isoformat()
    try:
        record.change(indexer.store, key, lambda value: value | {"at": at}, indexer.writer)
    except Damaged:
        indexer.store.delete(key)
        record.change(indexer.store, key, lambda value: value | {"at": at}, indexer.writer)
