"""The last good text of every document written by hand, kept for the day a file can no longer be read.

Knows the form of one derived object; knows nothing of how files are read.
Invariant: what is kept was readable once, and losing it costs nothing as long as the files themselves are good.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from paramecium.errors import BadInput, KeyMissing, VersionMismatch
from paramecium.memories.documents import Document, Documents
from paramecium.memories.front_matter import document_of
from paramecium.messages import Json, load_json
from paramecium.store import keys, record
from paramecium.store.base import ObjectStore

VERSION: Final = 1
CHARS_MAX: Final = 5_000_000
TRIES_MAX: Final = 3


def keep_good(store: ObjectStore, life: str, documents: Documents, writer: str) -> None:
    """Keeps the texts of `documents`, as read without `since`, for every process to come; one GET when none changed.

    Of more than 5,000,000 characters profile and facts stay, then memos, then diary, the latest first. Whoever was
    faster has kept them just as well. Raises StoreUnavailable, OutcomeUnknown.
    """
    key = keys.good_documents(life)
    value = {"v": VERSION, "documents": dict(_within(_by_weight(documents)))}
    for _ in range(TRIES_MAX):
        standing = _standing(store, key)
        if standing.value.get("v") == VERSION and standing.value.get("documents") == value["documents"]:
            return
        with suppress(VersionMismatch):
            record.write(store, key, standing, value, writer)
            return


def read_good(store: ObjectStore, life: str) -> Mapping[str, Document]:
    """Returns the documents that were kept, by path; none when nothing was or it cannot be read."""
    kept = _standing(store, keys.good_documents(life)).value.get("documents")
    if not isinstance(kept, dict):
        return {}
    return {path: document_of(path, raw["text"], raw["meta"]) for path, raw in kept.items() if _is_sound(raw)}


def _standing(store: ObjectStore, key: str) -> record.Record:
    try:
        blob = store.get(key)
    except KeyMissing:
        return record.Record({}, None)
    with suppress(BadInput):
        value = load_json(blob.body)
        generation = value.get("generation") if isinstance(value, dict) else None
        if isinstance(generation, int):
            return record.Record(value, blob.version)
    return record.Record({}, blob.version)


def _by_weight(documents: Documents) -> Iterator[Document]:
    profile = (documents.persona, documents.user, documents.relationship)
    yield from (d for d in profile if d is not None)
    yield from documents.facts
    yield from reversed(documents.memos)
    yield from reversed(documents.diary)


def _within(documents: Iterator[Document]) -> Iterator[tuple[str, Json]]:
    left = CHARS_MAX
    for one in documents:
        left -= len(one.text)
        if left >= 0:
            yield one.path, {"text": one.text, "meta": one.meta}


def _is_sound(raw: Any) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("text"), str) and isinstance(raw.get("meta"), dict)
