"""The proof of the documents: each version that is to be found stands in the index once, as the archive keeps it.

Invariant: a document that was changed or removed by hand since the last ingest waits; it is no problem.
"""

from collections.abc import Callable
from dataclasses import replace

from paramecium.archive.files import get_text
from paramecium.errors import Damaged, KeyMissing
from paramecium.index.manifest import VaultName
from paramecium.index.said import Said
from paramecium.jobs import vault
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.proof import IndexProof


def prove(indexer: Indexer, proof: IndexProof, archive_wrong: Callable[[str], None]) -> None:
    """Compares what the index holds of documents with their kept texts, and counts what waits.

    `archive_wrong` is told of kept texts that are damaged or gone.
    """
    _count_waiting(indexer, proof)
    for path, name in proof.manifest.vault.items():
        try:
            text = get_text(indexer.store, indexer.life, name.sha256)
        except (Damaged, KeyMissing) as error:
            archive_wrong(f"{path}: {error}")
            proof.unreadable(name.conversation)
            continue
        # Who wrote it, and when, is as it was when it came in, whatever the settings say by now.
        found = proof.held(name.conversation) or _nameless(name)
        proof.message(replace(found, id=name.sha256, text=text))
        proof.mark(vault.title_mark(name.conversation, path))
        proof.conversation(name.conversation, 0)
    for conversation in proof.manifest.dead:
        proof.unreadable(conversation)


def _count_waiting(indexer: Indexer, proof: IndexProof) -> None:
    """Documents that the index does not have as they are now, or has and should not have any more, wait."""
    if indexer.vault is not None:
        documents = indexer.vault.reader.read()
        wanted = vault.wanted(indexer.store, indexer.life, documents, proof.manifest)
        found = proof.manifest.vault
        proof.waiting += sum(wanted.get(path) != found.get(path) for path in wanted.keys() | found.keys())


def _nameless(name: VaultName) -> Said:
    return Said(name.conversation, 0, name.sha256, None, "user", "", "", 0, "")
