"""Files to import, and what an archive holds afterwards."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramecium.archive.conversations import Archive
from paramecium.archive.names import conversation_id
from paramecium.jobs.import_file import ImportReport, import_file
from paramecium.messages import Entry, Json, dump_json, path
from paramecium.settings import Settings
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock

SETTINGS = Settings(person="阿月", ai="小草")


def said(content: str, role: str = "user", **fields: Any) -> Json:
    """Returns one message of a file."""
    return {"role": role, "content": content} | fields


def talk(name: str | None, *messages: Json, **fields: Any) -> Json:
    """Returns one conversation of a file."""
    return {"id": name, "title": "", "messages": list(messages)} | fields


def write(file: Path, *lines: Json | bytes) -> Path:
    """Writes a file of JSON lines; bytes are a line as they are."""
    file.write_bytes(b"".join((line if isinstance(line, bytes) else dump_json(line)) + b"\n" for line in lines))
    return file


def archive_of(store: ObjectStore) -> Archive:
    """Returns the archive of the life main under a clock that stands."""
    return Archive(store, "main", now=FixedClock())


def bring(store: ObjectStore, file: Path, **options: Any) -> ImportReport:
    """Imports a file into a store."""
    return import_file(file, archive_of(store), SETTINGS, **options)


def messages(store: ObjectStore, name: str) -> tuple[Entry, ...]:
    """Returns the messages that stand of a conversation, by its original id."""
    return tuple(e for e in archive_of(store).read(conversation_id(name)) if e.kind == "message")


def texts(entries: Sequence[Entry]) -> list[str]:
    """Returns what the entries say."""
    return [e.text for e in entries]


def walked(store: ObjectStore, name: str) -> list[str]:
    """Returns the texts along a conversation's path."""
    return texts(path(archive_of(store).read(conversation_id(name))))


def parents(store: ObjectStore, name: str) -> list[tuple[str | None, str]]:
    """Returns each message's text with the text it hangs on."""
    entries = messages(store, name)
    text_of = {e.id: e.text for e in entries}
    return [(text_of[e.parent] if e.parent else None, e.text) for e in entries]


def objects(store: RamStore) -> dict[str, bytes]:
    """Returns all that stands in a store."""
    return {key: store.get(key).body for key in store.list("")}
