"""Rebuild: the whole index made anew from the archive, beside the one that serves, then put in its place.

Knows only the order of the two jobs. Invariant: the index that serves is not touched until the new one is whole.
"""

from paramecium.jobs import fts_build, ingest, renewal
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.ingest import IngestReport


def rebuild(indexer: Indexer) -> IngestReport:
    """Makes vectors, words and full text anew; the archive is only read. A killed run goes on at the next ingest."""
    renewal.begin_again(indexer)
    report = ingest.renew(indexer)
    fts_build.build(indexer)
    return report
