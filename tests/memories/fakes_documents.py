"""A life of documents for tests: files that are written at will, over a store that can go away."""

from paramecium.errors import StoreUnavailable
from paramecium.memories.document_reader import DocumentReader
from paramecium.memories.documents import Documents
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore

NOT_UTF8 = "茶".encode("gbk")
BAD: list[str | bytes] = [
    NOT_UTF8,
    b"x" * 200_001,
    "---\na: b: c\n---\n",
    "---\n- a\n---\n",
    "---\nalways: 3\n---\n",
    "---\n",
]


class Away(WatchedStore):
    """Is a store that can go away."""

    away = False

    def _enter(self, name: str, key: str) -> None:
        super()._enter(name, key)
        if self.away:
            raise StoreUnavailable("the store is away")


class House:
    """Is a store, a reader over it, and what the reader told."""

    def __init__(self, files: dict[str, str | bytes] | None = None) -> None:
        self.ram = RamStore()
        self.store = Away(self.ram)
        self.told: list[str] = []
        self.reader = self.fresh()
        for name, text in (files or {}).items():
            self.write(name, text)

    def fresh(self) -> DocumentReader:
        """Returns a reader as a new process has it."""
        return DocumentReader(self.store, "main", self.told.append)

    def write(self, name: str, text: str | bytes) -> None:
        """Writes a file, whatever stood there."""
        key, body = f"main/{name}", text if isinstance(text, bytes) else text.encode()
        self.ram.delete(key)
        self.ram.create(key, body)

    def calls(self) -> list[str]:
        """Returns and forgets the names of the store calls made."""
        names = sorted(name for name, _ in self.store.calls)
        self.store.calls.clear()
        return names


FILES: dict[str, str | bytes] = {
    "profile/persona.md": "你是小草。\n",
    "profile/user.md": "\ufeff阿南。\n",
    "profile/relationship.md": "朋友。",
    "facts/茶.md": "---\nkeywords: [茶]\n---\n白茶。\n",
    "facts/家/猫.txt": "猫叫砚台。",
    "diary/2026-06-11 雨.md": "下雨。",
    "memos/买.MD": "---\ndate: 2026-06-10\n---\n买米。",
    "facts/照片.jpg": b"\xff",
}


def persona(documents: Documents) -> str:
    """Returns the text of the persona."""
    return documents.persona.text if documents.persona else ""
