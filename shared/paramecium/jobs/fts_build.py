"""The nightly job: finds lost arrivals, builds the full text over every segment, compacts, clears what nobody names.

Order: what the listing of the archive finds is ingested first, so that the full text holds it too. Invariant: the
manifest names a full text only after the whole file stands, and an object is cleared only when no manifest of the last
24 hours named it.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from paramecium import clock
from paramecium.errors import VersionMismatch
from paramecium.index.fulltext import FullTextWriter
from paramecium.index.manifest import Fulltext, Manifest, ObjectName, Standing
from paramecium.index.segment import Segment
from paramecium.jobs import garbage, ingest, renewal
from paramecium.jobs.indexer import Indexer
from paramecium.store import keys, record
from paramecium.store.base import ObjectStore

JOB = "fts_build"
TRIES_MAX = 5


@dataclass(frozen=True, slots=True)
class FullTextReport:
    """Counts the messages of the full text, the messages no arrival told of, and the objects that were cleared."""

    messages: int = 0
    found: int = 0
    removed: int = 0
    built: bool = False


def build(indexer: Indexer) -> FullTextReport:
    """Runs the whole job; raises Stopped, StoreUnavailable, ModelMissing."""
    if renewal.needed(indexer):
        ingest.renew(indexer)
    ingest.ingest(indexer)
    found = ingest.reconcile(indexer)
    standing = _compacted(indexer, indexer.standing())
    built = not _current(indexer, standing.manifest)
    if built:
        standing = _with_fulltext(indexer, standing)
    removed = garbage.clear(indexer)
    _succeeded(indexer)
    fulltext = standing.manifest.fulltext
    return FullTextReport(fulltext.messages if fulltext else 0, found.messages, removed, built)


def last_success(store: ObjectStore, life: str) -> datetime | None:
    """Returns when the job last ended well."""
    at = record.read(store, keys.cursor(life, JOB)).value.get("at")
    return datetime.fromisoformat(at) if at else None


def _current(indexer: Indexer, manifest: Manifest) -> bool:
    """Tells whether the full text covers exactly what the segments hold, and is whole."""
    if manifest.fulltext is None:
        return not manifest.segments
    same = set(manifest.fulltext.segments) == {s.ulid for s in manifest.segments}
    return same and garbage.is_whole(indexer, manifest.fulltext.file)


def _compacted(indexer: Indexer, standing: Standing) -> Standing:
    segments = indexer.compacted(standing.manifest.segments)
    if segments == list(standing.manifest.segments):
        return standing
    return indexer.write(standing, replace(standing.manifest, segments=tuple(segments)))


def _with_fulltext(indexer: Indexer, standing: Standing) -> Standing:
    """Builds over the segments that stand; when an ingest was faster, the file covers a little less, and is right."""
    named = _built(indexer, standing.manifest)
    for _ in range(TRIES_MAX):
        try:
            return indexer.write(standing, replace(standing.manifest, fulltext=named))
        except VersionMismatch:
            standing = indexer.standing()
    raise VersionMismatch(f"{indexer.life}: {TRIES_MAX} writers of the manifest in a row were faster")


def _built(indexer: Indexer, manifest: Manifest) -> Fulltext:
    segments = [indexer.cache.open(name) for name in manifest.segments]
    of = sum(len(s.conv) for s in segments)
    with tempfile.TemporaryDirectory(prefix="paramecium-") as folder:
        path = Path(folder) / "fulltext.sqlite"
        writer = FullTextWriter(path)
        count = 0
        for conversation, n, day, text in _messages(segments):
            writer.add(conversation, n, day, text)
            count += 1
            if count % 1000 == 0:
                indexer.progress(count, of)
                indexer.breathe()
        writer.finish(manifest.coverage.conversations)
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
    at = indexer.now().isoformat()
    record.change(indexer.store, keys.cursor(indexer.life, JOB), lambda value: value | {"at": at}, indexer.writer)
