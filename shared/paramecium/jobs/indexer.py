"""Writes the index: entries become passages and vectors, these a segment, and a manifest names it.

Order: the segment's objects, then the manifest; the manifest is pointer and cursor in one, so a job may die anywhere
and the next goes on from what the manifest says. Invariant: a message is covered exactly when a named segment holds
it; whoever loses the race for the manifest looks again before it writes, and never mixes two models in one index.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.errors import VersionMismatch
from paramecium.index import compaction
from paramecium.index.embedder import Embedding
from paramecium.index.manifest import (
    Coverage,
    Manifest,
    SegmentName,
    Standing,
    VaultName,
    read_manifest,
    replace_manifest,
    retiring,
)
from paramecium.index.passages import VERSION as PASSAGES_VERSION
from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.index.segment_cache import SegmentCache
from paramecium.index.segment_merge import merge
from paramecium.index.segment_write import SegmentBytes, name_segment, store_segment, to_embed, write_segment
from paramecium.jobs.vault import Vault, dead_after
from paramecium.store import keys
from paramecium.store.base import ObjectStore

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

COMMIT_TRIES_MAX = 5
EMBED_AT_ONCE = 16

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class VaultChange:
    """Says which documents are to be found `after` a commit, on top of which it was decided: `before`, and `dead`."""

    before: Mapping[str, VaultName]
    dead: tuple[str, ...]
    after: Mapping[str, VaultName]


@dataclass(frozen=True, slots=True)
class Batch:
    """Is what one commit takes in: messages and marks, and from where to where it takes each conversation.

    `arrivals` is the last arrival handled once this batch is in, "" while there is more to do. `vault` is there when
    the messages are documents.
    """

    saids: tuple[Said, ...] = ()
    marks: tuple[Mark, ...] = ()
    begins: Mapping[str, int] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)
    arrivals: str = ""
    vault: VaultChange | None = None


@dataclass(frozen=True)
class Indexer:
    """Holds what a job needs to write the index of one life; `slot` is the key of the manifest it writes."""

    store: ObjectStore
    life: str
    archive: Archive
    embedder: Embedding
    cache: SegmentCache
    progress: Progress = lambda _done, _of: None
    now: clock.Now = clock.now
    slot: str = ""
    writer: str = field(default_factory=clock.new_id)
    vault: Vault | None = None

    @property
    def key(self) -> str:
        """Returns the key of the manifest this writes: the one that serves, unless told otherwise."""
        return self.slot or keys.manifest(self.life)

    def standing(self) -> Standing:
        """Returns the manifest as it stands."""
        return read_manifest(self.store, self.key)

    def write(self, standing: Standing, new: Manifest, *, rebuilt: bool = False) -> Standing:
        """Returns what stands after `new` was written over `standing`; what it drops is kept in mind for a day."""
        new = retiring(standing.manifest, new, self.now())
        return replace_manifest(self.store, self.key, standing, new, self.writer, rebuilt=rebuilt)

    def embed(self, saids: Sequence[Said], progress: Callable[[int], None]) -> "NDArray[float32]":
        """Returns the raw vectors of the messages' passages, in order; long work, which may be asked to stop."""
        import numpy as np

        texts = list(to_embed(saids))
        out = np.empty((len(texts), self.embedder.dims), np.float32)
        for at in range(0, len(texts), EMBED_AT_ONCE):
            some = texts[at : at + EMBED_AT_ONCE]
            out[at : at + len(some)] = self.embedder.passages(some)
            progress(len(some))
            self.breathe()
        return out

    def commit(self, standing: Standing, batch: Batch, vectors: "NDArray[float32]") -> Standing:
        """Returns what stands once the batch is in the index; raises VersionMismatch when another run took it in.

        Other changes of the manifest (a new full text, other messages) are met by trying again on top of them.
        Afterwards the cache lets go of what the manifest no longer names, so that downloads do not pile up. Raises
        Damaged and KeyMissing when the segment that grows cannot be opened.
        """
        made = write_segment(batch.saids, batch.marks, vectors, self.embedder.id, self.embedder.mean)
        for _ in range(COMMIT_TRIES_MAX):
            self._check_joins(standing, batch)
            try:
                standing = self.write(standing, self._with(standing.manifest, made, batch))
            except VersionMismatch:
                standing = self.standing()
            else:
                self.cache.keep(standing.manifest.segments)
                return standing
        raise VersionMismatch(f"{self.life}: {COMMIT_TRIES_MAX} writers of the manifest in a row were faster")

    def same_kind(self, manifest: Manifest) -> bool:
        """Tells whether the manifest's segments are of this model, and cut as passages are cut now."""
        return (manifest.model, manifest.passages_version) == (self.embedder.id, PASSAGES_VERSION)

    def merged(self, segments: Sequence[SegmentName], together: Sequence[SegmentName]) -> list[SegmentName]:
        """Returns the segments with those `together` made one, stored, in the place of the first of them."""
        name = self._store(merge([self.cache.open(s) for s in together]))
        out = [s for s in segments if s not in together]
        out.insert(segments.index(together[0]), name)
        return out

    def without(self, segments: Sequence[SegmentName], dead: Sequence[str]) -> list[SegmentName]:
        """Returns the segments, those that hold something of dead conversations made anew without it, and stored."""
        opened = [self.cache.open(s) for s in segments] if dead else []
        gone = frozenset(dead)
        held = {s.ulid for s in opened if not gone.isdisjoint(s.conversations)}
        return [self._store(merge([self.cache.open(s)], gone)) if s.ulid in held else s for s in segments]

    def compacted(self, segments: Sequence[SegmentName]) -> list[SegmentName]:
        """Returns the segments, merged until few enough are live."""
        out = list(segments)
        while (together := compaction.plan(out)) is not None:
            out = self.merged(out, together)
        return out

    def _check_joins(self, standing: Standing, batch: Batch) -> None:
        """Raises VersionMismatch where the batch cannot go on top of what stands, since another run was faster."""
        manifest, covered = standing.manifest, standing.manifest.coverage.conversations
        if self.slot and standing.version is None:
            raise VersionMismatch(f"{self.life}: another run put the new index in place")
        if manifest.segments and not self.same_kind(manifest):
            raise VersionMismatch(f"{self.life}: another run made the index anew, with the model {manifest.model}")
        if any(covered.get(c, 0) != n for c, n in batch.begins.items()):
            raise VersionMismatch(f"{self.life}: another run took these messages in")
        if batch.vault and (batch.vault.before, batch.vault.dead) != (manifest.vault, manifest.dead):
            raise VersionMismatch(f"{self.life}: another run took documents in")

    def _with(self, manifest: Manifest, made: SegmentBytes, batch: Batch) -> Manifest:
        segments = list(manifest.segments)
        if made.messages or batch.marks:
            if segments and compaction.grows(segments[-1], made.passages):
                segments[-1] = self._store(merge([self.cache.open(segments[-1]), _loaded(made)]))
            else:
                segments.append(self._store(made))
        coverage = manifest.coverage
        ends = {**coverage.conversations, **batch.ends}
        vault = batch.vault.after if batch.vault else manifest.vault
        return replace(
            manifest,
            model=self.embedder.id,
            passages_version=PASSAGES_VERSION,
            segments=tuple(self.compacted(segments)),
            coverage=Coverage(ends, max(batch.arrivals, coverage.arrivals)),
            vault=vault,
            dead=dead_after(manifest, vault) if batch.vault else manifest.dead,
        )

    def _store(self, made: SegmentBytes) -> SegmentName:
        return store_segment(self.store, self.life, clock.new_id(self.now()), made)

    def breathe(self) -> None:
        """Lets a store that was asked to stop say so in the middle of long work."""
        check = getattr(self.store, "check", None)
        if check is not None:
            check()


def _loaded(made: SegmentBytes) -> Segment:
    """A segment that is not stored yet, readable like any other."""
    import numpy as np

    name = name_segment("main", "0" * 26, made)
    return Segment(name, np.frombuffer(made.vectors, np.uint8), np.frombuffer(made.words, np.uint8))
