"""Rebuild: all that is derived made anew from archive and ledger, beside what serves, then put in its place.

Knows only the order of the jobs. Invariant: what serves is not touched until the new one is whole.
"""

from paramecium.jobs import fts_build, ingest, renewal
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.ingest import IngestReport
from paramecium.jobs.remember import remember
from paramecium.memories.keeping_plan import Keeper


def rebuild(indexer: Indexer, keeper: Keeper | None = None) -> IngestReport:
    """Makes vectors, words and full text anew, and with a keeper the snapshot of the memories.

    Archive and ledger are only read. A killed run goes on at the next ingest.
    """
    renewal.begin_again(indexer)
    report = ingest.renew(indexer)
    fts_build.build(indexer)
    if keeper is not None:
        remember(keeper, indexer.archive, anew=True)
    return report
