"""A file written by hand, taken apart: its front matter and its text; the only file that knows python-frontmatter.

Pure. Knows which fields mean something and what may stand in them; knows nothing of stores.
Invariant: `text` is the file's own characters behind the front matter to the last one (of a byte order mark at the
beginning nothing is kept), and no sentence about a bad file says a word that stands in it.
"""

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Any, Final

from paramecium.errors import BadInput
from paramecium.memories.documents import Document
from paramecium.messages import Json, plain

BYTES_MAX: Final = 200_000
FRONT_CHARS_MAX: Final = 4_000
_BREAK: Final = r"(?:\r\n|\r|\n)"
_RULE: Final = r"-{3,}+[ \t]*+"
_OPENED: Final = re.compile(rf"{_RULE}(?:{_BREAK}|\Z)")
_CLOSED: Final = re.compile(rf"{_BREAK}{_RULE}(?:{_BREAK}|\Z)")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FLAGS: Final = ("always", "resolved")
_DAYS: Final = ("expires", "date")


def document(path: str, body: bytes) -> Document:
    """Returns what a file's bytes say; raises BadInput with a sentence that names the file and what to do."""
    if len(body) > BYTES_MAX:
        raise BadInput(
            f"{path} has {len(body):,} bytes, and {BYTES_MAX:,} are read at most; split it into several files"
        )
    try:
        told = body.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 from byte {error.start} on; save it as UTF-8") from error
    opened = _OPENED.match(told)
    if opened is None:
        return document_of(path, told, {})
    # The break that ends the opening line may be the one the closing line begins with.
    closed = _CLOSED.search(told, opened.end() - 1)
    if closed is None:
        raise BadInput(f"{path} begins front matter that no line --- ends; add that line behind the last field")
    return document_of(path, told[closed.end() :], _meta(path, told[opened.end() : closed.start()]))


def document_of(path: str, text: str, meta: Json) -> Document:
    """Returns the document of a path below the life, a text, and a front matter that was read once."""
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(path, path.partition("/")[0], text, sha256, str(meta.get("date", "")) or name_date(path), meta)


def name_date(path: str) -> str:
    """Returns the day (YYYY-MM-DD) a file's name begins with, empty when it begins with none."""
    found = _DAY.match(path.rpartition("/")[2])
    if found is None:
        return ""
    with suppress(ValueError):
        return date.fromisoformat(found[0]).isoformat()
    return ""


def _meta(path: str, front: str) -> Json:
    if len(front) > FRONT_CHARS_MAX:
        raise BadInput(f"{path} has more than {FRONT_CHARS_MAX:,} characters of front matter; move them into the text")
    raw = _loaded(path, front)
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise BadInput(f"{path} has front matter that is no list of `field: value` lines; write it so, or take it out")
    return _fields(path, {str(name): value for name, value in raw.items() if value is not None})


def _loaded(path: str, front: str) -> Any:
    from frontmatter.default_handlers import YAMLHandler
    from yaml import SafeLoader

    try:
        # The loader written in Python: the one in C has no end of its own where lists are nested without one.
        return YAMLHandler().load(front, Loader=SafeLoader)
    except Exception as error:  # noqa: BLE001 - whatever the library makes of a file, it is the file that is wrong
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark else ""
        raise BadInput(f"{path} has front matter that is no YAML{where}; mend it, or put the value in quotes") from None


def _fields(path: str, raw: Mapping[str, Any]) -> Json:
    """Returns the fields that mean something, checked, and of the others those that are one plain value."""
    meta: Json = {}
    for name, value in raw.items():
        if name == "keywords":
            meta[name] = _keywords(path, value)
        elif name in _FLAGS:
            meta[name] = _flag(path, name, value)
        elif name in _DAYS:
            meta[name] = _day(path, name, value)
        elif isinstance(value, str | int | float):
            with suppress(BadInput):
                meta[name] = plain(value)
    return meta


def _keywords(path: str, value: Any) -> list[str]:
    if not isinstance(value, list) or any(isinstance(v, bool) or not isinstance(v, str | int) for v in value):
        raise BadInput(f"{path}: keywords must be a list of words, such as [茶, 龙井]")
    words = [str(v) for v in value]
    if any(not word.strip() for word in words):
        raise BadInput(f"{path}: one of the keywords is empty; take it out")
    if any(mark in word for word in words for mark in "，、"):
        raise BadInput(f"{path}: keywords are set apart by the comma of YAML, such as [茶, 龙井], not by ， or 、")
    return words


def _flag(path: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{path}: {name} must be true or false")
    return value


def _day(path: str, name: str, value: Any) -> str:
    if isinstance(value, datetime):
        value = value.date()
    with suppress(ValueError):
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, str) and _DAY.fullmatch(value):
            return date.fromisoformat(value).isoformat()
    raise BadInput(f"{path}: {name} must be a day such as 2026-06-30")
