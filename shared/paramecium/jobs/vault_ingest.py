"""Documents into the index: what was changed by hand since the last time.

Order: the text under its hash, the segment, the manifest, at the end the last good texts. Invariant: it may stop after
any store call and goes on at its next run; a document is found as it was until it is found as it is.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from paramecium.archive.conversations import GETS_AT_ONCE
from paramecium.archive.files import put_text
from paramecium.errors import VersionMismatch
from paramecium.index.manifest import Manifest, Standing
from paramecium.index.passages import passages
from paramecium.index.said import Said
from paramecium.jobs.indexer import Batch, Indexer, VaultChange
from paramecium.jobs.vault import Vault, title_mark, wanted
from paramecium.memories.documents import Documents
from paramecium.memories.good_documents import keep_good

BATCH_PASSAGES = 500
LOST_RACES_MAX = 5


@dataclass(frozen=True, slots=True)
class Taken:
    """Counts the versions that came in, and their passages."""

    documents: int = 0
    passages: int = 0


def take_in(indexer: Indexer, standing: Standing) -> Taken:
    """Brings the index, as it stands, to what is written by hand now.

    Raises VersionMismatch when other runs were always faster, else what reading and writing raise.
    """
    vault = indexer.vault
    if vault is None:
        return Taken()
    taken, documents = Taken(), Documents()
    had = bool(standing.manifest.vault)
    for lost in range(LOST_RACES_MAX + 1):
        # Read after the manifest, so that what another run took in meanwhile is never set back to an older version.
        documents = vault.reader.read()
        try:
            for new in _commits(indexer, vault, standing, documents):
                taken = Taken(taken.documents + new.documents, taken.passages + new.passages)
            break
        except VersionMismatch:
            if lost == LOST_RACES_MAX:
                raise
            standing = indexer.standing()
    if had or documents != Documents():
        keep_good(indexer.store, indexer.life, documents, indexer.writer)
    return taken


def _commits(indexer: Indexer, vault: Vault, standing: Standing, documents: Documents) -> Iterator[Taken]:
    """Commits one batch after the other and yields what each took in; what is gone is gone with the last one."""
    goal = wanted(indexer.store, indexer.life, documents, standing.manifest)
    if goal == standing.manifest.vault:
        return
    paths = {name.conversation: path for path, name in goal.items()}
    batches = [*_batches(_new(vault, standing.manifest, documents))] or [[]]
    of, done = sum(len(passages(s.text)) for batch in batches for s in batch), 0

    def move(count: int) -> None:
        nonlocal done
        done += count
        indexer.progress(done, of)

    for at, saids in enumerate(batches):
        _keep_texts(indexer, saids)
        vectors = indexer.embed(saids, move)
        manifest = standing.manifest
        some = {paths[s.conversation]: goal[paths[s.conversation]] for s in saids}
        after = goal if at == len(batches) - 1 else dict(sorted({**manifest.vault, **some}.items()))
        marks = tuple(title_mark(s.conversation, paths[s.conversation]) for s in saids)
        change = VaultChange(manifest.vault, manifest.dead, after)
        standing = indexer.commit(standing, Batch(tuple(saids), marks, vault=change), vectors)
        yield Taken(len(saids), len(vectors))


def _new(vault: Vault, manifest: Manifest, documents: Documents) -> Iterator[Said]:
    """The versions that no segment holds; one that was found before and still stands in a segment is held."""
    held = {*manifest.dead, *(name.conversation for name in manifest.vault.values())}
    saids = (vault.said(document) for document in documents.vault)
    return (said for said in saids if said.conversation not in held)


def _batches(saids: Iterator[Said]) -> Iterator[list[Said]]:
    batch: list[Said] = []
    count = 0
    for said in saids:
        batch.append(said)
        count += len(passages(said.text))
        if count >= BATCH_PASSAGES:
            yield batch
            batch, count = [], 0
    if batch:
        yield batch


def _keep_texts(indexer: Indexer, saids: Sequence[Said]) -> None:
    if saids:
        with ThreadPoolExecutor(min(GETS_AT_ONCE, len(saids))) as pool:
            list(pool.map(lambda said: put_text(indexer.store, indexer.life, said.text), saids))
