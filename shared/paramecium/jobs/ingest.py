"""Ingest: what was said since the last time comes into the index, and what was written by hand behind it.

Invariant: it may stop after any store call and goes on at its next run; one run or a hundred give the same recall.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from paramecium.errors import Damaged, KeyMissing, VersionMismatch
from paramecium.index.manifest import Manifest, Standing
from paramecium.jobs import pending as work
from paramecium.jobs import renewal, strayed, vault_ingest
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.pending import Pending, Strayed

BATCH_PASSAGES = 500
ROUNDS_MAX = 1000
LOST_RACES_MAX = 5
BEGINNINGS_MAX = 2

Find = Callable[[Manifest], Pending]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts what a run took in, and says of each conversation it could not read why.

    `documents` counts new versions of what is written by hand; their passages are among `passages`.
    """

    messages: int = 0
    passages: int = 0
    unreadable: tuple[str, ...] = ()
    renewed: bool = False
    documents: int = 0


def ingest(indexer: Indexer, *, check: bool = True) -> IngestReport:
    """Takes in what has arrived; makes the index anew when its model is another, it is damaged, or it strayed.

    With `check` every object of the index is read and hashed first. Without it only what the job opens anyway is, so
    that a run costs what is new, however long the life: this is for a process that starts afresh every few minutes
    and would download the whole index; damage elsewhere is then found by the nightly job.
    Raises Stopped, StoreUnavailable, ModelMissing, and VersionMismatch when other runs were always faster.
    """
    wanted = renewal.needed(indexer, check=check)
    if wanted and renewal.end(indexer):
        wanted = renewal.needed(indexer, check=check)
    if wanted:
        return renew(indexer)
    try:
        return _with_documents(indexer, *_arrived(indexer))
    except Strayed:
        return _anew(indexer)
    except (Damaged, KeyMissing):
        if not renewal.needed(indexer):
            raise
        return renew(indexer)


def reconcile(indexer: Indexer) -> IngestReport:
    """Takes in what the whole archive holds and the index does not, lost arrivals included.

    An index that covers what the archive no longer has is made anew.
    """
    try:
        return _listed(indexer)[0]
    except Strayed:
        return _anew(indexer)


def renew(indexer: Indexer) -> IngestReport:
    """Makes the index anew beside the one that serves, going on where an earlier run stopped, and puts it in place.

    What arrived while it was put in place is taken in behind it. Raises VersionMismatch when another run began again.
    """
    report = IngestReport()
    try:
        beside, report = _made_beside(indexer)
        renewal.put_in_place(indexer, beside)
    except VersionMismatch:
        if renewal.needed(indexer):
            raise
    late, _ = _arrived(indexer)
    return replace(
        report,
        messages=report.messages + late.messages,
        passages=report.passages + late.passages,
        unreadable=tuple(dict.fromkeys((*report.unreadable, *late.unreadable))),
        renewed=True,
    )


def take_in(indexer: Indexer, find: Find) -> tuple[IngestReport, Standing]:
    """Takes in what `find` finds until it finds no more; returns what stands then, too."""
    report, lost = IngestReport(), 0
    standing = Standing(Manifest(), None)
    for _ in range(ROUNDS_MAX):
        standing = indexer.standing()
        pending = find(standing.manifest)
        report = replace(report, unreadable=pending.unreadable)
        try:
            report, standing = _take(indexer, standing, pending, report)
        except VersionMismatch:
            lost += 1
            if lost > LOST_RACES_MAX:
                raise
            continue
        if not pending.more:
            break
    return report, standing


def _with_documents(indexer: Indexer, report: IngestReport, standing: Standing) -> IngestReport:
    taken = vault_ingest.take_in(indexer, standing)
    return replace(report, documents=taken.documents, passages=report.passages + taken.passages)


def _arrived(indexer: Indexer) -> tuple[IngestReport, Standing]:
    def find(manifest: Manifest) -> Pending:
        pending = work.by_arrivals(indexer.archive, manifest, indexer.now())
        strayed.clear(indexer, manifest, pending.doubts)
        return pending

    return take_in(indexer, find)


def _listed(indexer: Indexer) -> tuple[IngestReport, Standing]:
    """What the first round finds is compared; what the rounds themselves take in is not."""
    first = True

    def find(manifest: Manifest) -> Pending:
        nonlocal first
        pending = work.by_listing(indexer.archive, manifest)
        if first:
            strayed.clear(indexer, manifest, pending.doubts)
        first = False
        return pending

    return take_in(indexer, find)


def _anew(indexer: Indexer) -> IngestReport:
    """What was begun before may have strayed as well, so nothing of it is used."""
    renewal.begin_again(indexer)
    return renew(indexer)


def _made_beside(indexer: Indexer) -> tuple[Indexer, IngestReport]:
    """Returns who wrote the new index, and what it took in; one that was begun and strayed since is begun again."""
    for _ in range(BEGINNINGS_MAX):
        beside = renewal.beside(indexer)
        try:
            return beside, _with_documents(beside, *_listed(beside))
        except Strayed:
            renewal.begin_again(indexer)
    raise VersionMismatch(f"{indexer.life}: the archive was put back while the index was made anew")


def _take(
    indexer: Indexer, standing: Standing, pending: Pending, report: IngestReport
) -> tuple[IngestReport, Standing]:
    of = sum(block.passages for block in pending.blocks)
    done = 0

    def move(passages: int) -> None:
        nonlocal done
        done += passages
        indexer.progress(done, of)

    for batch in work.batches(pending, BATCH_PASSAGES):
        vectors = indexer.embed(batch.saids, move)
        standing = indexer.commit(standing, batch, vectors)
        report = replace(report, messages=report.messages + len(batch.saids), passages=report.passages + len(vectors))
    indexer.progress(max(of, 1), max(of, 1))
    return report, standing
