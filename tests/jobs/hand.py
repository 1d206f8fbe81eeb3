"""A desk for the tests: documents are written and removed by hand, and read as plainly as can be."""

import hashlib
import re
from contextlib import suppress

from paramecium.errors import KeyMissing
from paramecium.jobs.vault import Vault
from paramecium.memories.documents import Document, Documents
from paramecium.store import keys
from paramecium.store.base import ObjectStore

DIARY, FACT, MEMO, USER = "diary/2026-06-11.md", "facts/茶.md", "memos/2026-06-10-搬家.md", "profile/user.md"
WORDS = {
    DIARY: "今天在湖边走了很久，\r\n水面上有两只䴙䴘。\n\n晚上给外婆打了电话。",
    FACT: "阿月喝茶只喝凤凰单丛，别的都嫌淡。",
    MEMO: "搬家前要退掉宽带，\u2028还要把钥匙交给楼下的老周。",
    USER: "阿月在植物园工作，怕打雷。",
}
_DATE = re.compile(r"[^/]+/(\d{4}-\d\d-\d\d)")


def document(path: str, text: str, **meta: str) -> Document:
    """Returns a document as a reader reads it."""
    date = _DATE.match(path)
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(path, path.partition("/")[0], text, sha256, date[1] if date else "", dict(meta))


class Desk:
    """Writes documents into a life's store and reads them again: one LIST a kind and a GET a file."""

    def __init__(self, store: ObjectStore) -> None:
        self.store = store

    def write(self, path: str, text: str | bytes) -> None:
        """Puts a document there, in the place of an earlier one."""
        self.remove(path)
        self.store.create(f"main/{path}", text if isinstance(text, bytes) else text.encode("utf-8"))

    def remove(self, path: str) -> None:
        """Takes a document away."""
        self.store.delete(f"main/{path}")

    def read(self) -> Documents:
        """Returns all that can be read."""
        found: list[Document] = []
        bad: list[str] = []
        for kind in keys.DOCUMENT_KINDS:
            for key in self.store.list(keys.documents("main", kind)):
                path = key.removeprefix("main/")
                with suppress(KeyMissing):
                    try:
                        found.append(document(path, self.store.get(key).body.decode("utf-8")))
                    except UnicodeDecodeError:
                        bad.append(f"{path} is not UTF-8")
        of = {kind: tuple(d for d in found if d.kind == kind) for kind in keys.DOCUMENT_KINDS}
        user = next(iter(of["profile"]), None)
        return Documents(None, user, None, of["facts"], of["diary"], of["memos"], tuple(bad))


def vault(store: ObjectStore) -> Vault:
    """Returns where the documents of a life's store come from."""
    return Vault(Desk(store), "阿月", "Asia/Shanghai")


def written(store: ObjectStore) -> Desk:
    """Returns a desk on which one document of each kind lies."""
    desk = Desk(store)
    for path, text in WORDS.items():
        desk.write(path, text)
    return desk
