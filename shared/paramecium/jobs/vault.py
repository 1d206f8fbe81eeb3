"""Documents as the index keeps them: each version of one is a pseudo conversation of one message.

Knows how a document becomes a message, what its version is called, and which versions are to be found; writes nothing.
Invariant: a version has the same name whoever names it and whenever, and another one once its words, its date or its
author are others. The message's id is the sha256 of the text, under which the archive keeps it for ever.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from posixpath import splitext
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from paramecium.index.manifest import Manifest, VaultName
from paramecium.index.said import Mark, Said, day_of
from paramecium.memories.documents import Document, Documents
from paramecium.store import keys
from paramecium.store.base import AppendOnly

PREFIX: Final = "vault-"
_HEX_CHARS = 40
_TITLE_N = 1


class ReadsDocuments(Protocol):
    """Reads what is written by hand."""

    def read(self) -> Documents:
        """Returns it as it was last readable."""
        ...


@dataclass(frozen=True, slots=True)
class Vault:
    """Is where documents come from; `person` wrote those without an author, `timezone` is that of their dates."""

    reader: ReadsDocuments
    person: str
    timezone: str

    def said(self, document: Document) -> Said:
        """Returns the one message of a version."""
        at = self._at(document)
        speaker = _author(document) or self.person
        name = name_of(document)
        return Said(name.conversation, 0, name.sha256, None, "user", speaker, at, day_of(at), document.text)

    def _at(self, document: Document) -> str:
        """The beginning of the day it is of; empty when it is of none."""
        try:
            day = datetime.strptime(document.date, "%Y-%m-%d").replace(tzinfo=ZoneInfo(self.timezone))
        except ValueError:
            return ""
        return day.isoformat(timespec="milliseconds")


def name_of(document: Document) -> VaultName:
    """Returns what a version is called."""
    parts = "\0".join((document.path, document.sha256, document.date, _author(document)))
    digest = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
    return VaultName(f"{PREFIX}{digest[:_HEX_CHARS]}", document.sha256)


def title_mark(conversation: str, path: str) -> Mark:
    """Returns what gives a document its title: its path, without the extension."""
    return Mark(conversation, _TITLE_N, "rename", splitext(path)[0])


def wanted(store: AppendOnly, life: str, documents: Documents, manifest: Manifest) -> dict[str, VaultName]:
    """Returns the versions that are to be found, by path: the present ones, and the last ones of what was not read.

    A document was not read, and is not gone, while its file stands: it may be bad, or one too many. Where nothing is
    missing this costs no store call, else a LIST of each kind of which something is.
    """
    names = {document.path: name_of(document) for document in documents.vault}
    missing = manifest.vault.keys() - names.keys()
    for kind in sorted({path.partition("/")[0] for path in missing}):
        prefix = keys.documents(life, kind)
        standing = {f"{kind}/{key.removeprefix(prefix)}" for key in store.list(prefix)}
        names |= {path: manifest.vault[path] for path in missing & standing}
    return dict(sorted(names.items()))


def dead_after(manifest: Manifest, vault: Mapping[str, VaultName]) -> tuple[str, ...]:
    """Returns which versions the segments hold and nobody is to find, once `vault` is what is to be found."""
    live = {name.conversation for name in vault.values()}
    held = {*manifest.dead, *(name.conversation for name in manifest.vault.values())}
    return tuple(sorted(held - live))


def _author(document: Document) -> str:
    author = document.meta.get("author")
    return author if isinstance(author, str) else ""
