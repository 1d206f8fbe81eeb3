"""The documents written by hand, read and kept warm: at once one LIST a kind and a conditional GET a file.

Knows which files count and what stands in for one that cannot be read. Synchronous; threads may share it.
Invariant: once documents were read a turn never loses them: of a bad file the last good text is given, and all of them
when the store is away.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Final, NamedTuple

from paramecium.errors import BadInput, KeyMissing, ParameciumError
from paramecium.memories.documents import Document, Documents
from paramecium.memories.front_matter import document, name_date
from paramecium.memories.good_documents import keep_good, read_good
from paramecium.store import keys
from paramecium.store.base import ObjectStore

__all__ = ["DOCUMENTS_MAX", "DocumentReader", "keep_good"]
DOCUMENTS_MAX: Final = 500
GETS_AT_ONCE: Final = 16
_LISTED_MAX: Final = 100_000
_SUFFIXES: Final = (".md", ".txt")
_PROFILE: Final = ("persona.md", "user.md", "relationship.md")
_DATED: Final = ("diary", "memos")


class _File(NamedTuple):
    version: str
    good: Document | None
    told: tuple[str, ...] = ()


class _Listed(NamedTuple):
    names: list[str]
    bad: list[str]


class DocumentReader:
    """Reads the documents of one life; what is wrong is told through `warn`, once per change of a file.

    Of each kind at most `documents_max` are read, the last by name.
    """

    def __init__(
        self,
        store: ObjectStore,
        life: str,
        warn: Callable[[str], None] = lambda _: None,
        documents_max: int = DOCUMENTS_MAX,
    ) -> None:
        self._store, self._life, self._warn = store, keys.check_life(life), warn
        self._max = documents_max
        self._lock = threading.Lock()
        self._files: dict[str, _File] = {}
        self._names: tuple[str, ...] = ()
        self._told: dict[str, str] = {}
        self._kept: Mapping[str, Document] | None = None
        self._last: Documents | None = None

    def read(self, since: str = "") -> Documents:
        """Returns all that is written by hand, each kind by path; one LIST a kind and one conditional GET a file.

        With `since` (YYYY-MM-DD) diary entries and memos whose name begins with an earlier day are left out unread,
        which is all a turn needs. Raises StoreUnavailable
        only when nothing was ever read by this reader.
        """
        with self._lock:
            try:
                self._last = self._read(since)
                self._tell("", "")
            except ParameciumError as error:
                if self._last is None:
                    raise
                self._tell("", str(error), f"the documents cannot be read, the last ones are used: {error}")
            return self._last

    def _read(self, since: str) -> Documents:
        with ThreadPoolExecutor(GETS_AT_ONCE) as pool:
            lists = [pool.submit(self._listed, kind, since) for kind in keys.DOCUMENT_KINDS]
            # Most stand where they stood: to look at them need not wait for the lists.
            looks = {name: pool.submit(self._file, name) for name in self._names}
            listed = [one.result() for one in lists]
            names = [name for kind in listed for name in kind.names]
            looks |= {name: pool.submit(self._file, name) for name in names if name not in looks}
            found = {name: looks[name].result() for name in names}
        self._names = tuple(names)
        files = {name: self._backed(name, file) for name, file in found.items() if file is not None}
        # What a shorter reading leaves out stays warm.
        self._files = (self._files if since else {}) | files
        for kind, (_, bad) in zip(keys.DOCUMENT_KINDS, listed, strict=True):
            self._tell(kind, "\n".join(bad), *bad)
        for name, file in files.items():
            self._tell(name, file.version, *file.told)
        told = [sentence for kind in listed for sentence in kind.bad]
        told += [sentence for file in files.values() for sentence in file.told]
        return _documents([file.good for file in files.values() if file.good is not None], told)

    def _listed(self, kind: str, since: str) -> _Listed:
        prefix = keys.documents(self._life, kind)
        names = [n for n in islice(self._store.list(prefix), _LISTED_MAX) if n.lower().endswith(_SUFFIXES)]
        if kind == "profile":
            others = [n for n in names if n.removeprefix(prefix) not in _PROFILE]
            says = "is not read: profile/ holds " + ", ".join(_PROFILE)
            return _Listed([n for n in names if n not in others], [f"{self._path(n)} {says}" for n in others])
        if kind in _DATED and since:
            names = [name for name in names if not "" < name_date(name) < since]
        if len(names) <= self._max:
            return _Listed(names, [])
        bad = f"{kind}/ holds {len(names)} files, and the last {self._max} by name are read; join some of the others"
        return _Listed(names[-self._max :], [bad])

    def _file(self, name: str) -> _File | None:
        before = self._files.get(name)
        try:
            blob = self._store.get_if_changed(name, before.version) if before else self._store.get(name)
        except KeyMissing:
            return None
        if blob is None:
            return before
        try:
            return _File(blob.version, document(self._path(name), blob.body))
        except BadInput as error:
            return _File(blob.version, before.good if before else None, (str(error),))

    def _backed(self, name: str, file: _File) -> _File:
        """Gives a bad file the text that an earlier process found good, and its sentence the end that says so."""
        if not file.told or file is self._files.get(name):
            return file
        good = file.good or self._kept_good().get(self._path(name))
        meanwhile = "until then its last good text is used" if good else "until then it is left out"
        return _File(file.version, good, (f"{file.told[0]}; {meanwhile}",))

    def _kept_good(self) -> Mapping[str, Document]:
        if self._kept is None:
            self._kept = read_good(self._store, self._life)
        return self._kept

    def _tell(self, about: str, version: str, *sentences: str) -> None:
        if self._told.get(about, "") != version:
            self._told[about] = version
            for sentence in sentences:
                self._warn(sentence)

    def _path(self, name: str) -> str:
        return name.removeprefix(f"{self._life}/")


def _documents(good: Sequence[Document], bad: Sequence[str]) -> Documents:
    profile = {d.path: d for d in good if d.kind == "profile"}
    persona, user, relationship = (profile.get(f"profile/{name}") for name in _PROFILE)
    facts, diary, memos = (tuple(d for d in good if d.kind == kind) for kind in keys.DOCUMENT_KINDS[1:])
    return Documents(persona, user, relationship, facts, diary, memos, tuple(bad))
