"""What of the documents stands in the head of a turn: who the AI is, who the person is, and the last two days.

Pure. Knows limits and marks; knows nothing of blocks or of caches.
Invariant: the same documents, names and day give the same characters, and nothing in them tells an age.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from paramecium.memories.documents import Document, Documents, beginning
from paramecium.settings import Settings

DAYS: Final = 2
DIARY_MAX: Final = 3
DIARY_CHARS_MAX: Final = 800
MEMOS_MAX: Final = 2
MEMO_CHARS_MAX: Final = 400
_KINDS: Final = {"zh": {"diary": "日记", "memos": "备忘"}, "en": {"diary": "diary", "memos": "memo"}}


class Told(NamedTuple):
    """Is what the head tells beside the house's own words, each empty when nothing is written.

    `persona` takes the place of the built-in sentence; `known` is about the person and the two of them; `recent` holds
    diary and memos of the two days before today.
    """

    persona: str = ""
    known: str = ""
    recent: str = ""


UNTOLD: Final = Told()


def told_of(documents: Documents, settings: Settings, today: date) -> Told:
    """Returns what the documents tell on a day, that of the person's own zone."""
    profile = [("user_profile", documents.user), ("relationship", documents.relationship)]
    marked = [_marked(name, d.text.strip()) for name, d in profile if d is not None]
    return Told(persona_of(documents, settings), "\n\n".join(filter(None, marked)), _recent(documents, settings, today))


def persona_of(documents: Documents, settings: Settings) -> str:
    """Returns the persona that was written by hand; {person} and {ai} in it stand for the names."""
    return "" if documents.persona is None else named(documents.persona.text, settings).strip()


def named(text: str, settings: Settings) -> str:
    """Returns the text with {person} and {ai} replaced by their names; braces within a name stay as they are."""
    names = {"{person}": settings.person, "{ai}": settings.ai}
    return re.sub(r"\{(?:person|ai)\}", lambda found: names[found[0]], text)


def first_recent_day(today: date) -> str:
    """Returns the day (YYYY-MM-DD) from which on diary and memos can stand in the head."""
    return (today - timedelta(days=DAYS)).isoformat()


def _recent(documents: Documents, settings: Settings, today: date) -> str:
    kinds = _KINDS[settings.language]
    parts = [
        *_entries(_of_days(documents.diary, today)[-DIARY_MAX:], kinds["diary"], DIARY_CHARS_MAX),
        *_entries(_of_days(documents.memos, today)[-MEMOS_MAX:], kinds["memos"], MEMO_CHARS_MAX),
    ]
    return _marked("recent_days", "\n\n".join(parts))


def _of_days(documents: Sequence[Document], today: date) -> list[Document]:
    found = [d for d in documents if first_recent_day(today) <= d.date < today.isoformat() and d.text.strip()]
    return sorted(found, key=lambda d: (d.date, d.path))


def _entries(documents: Sequence[Document], kind: str, chars: int) -> Iterator[str]:
    for one in documents:
        yield f"[{one.date} {kind}]\n{beginning(one.text, chars)}"


def _marked(name: str, text: str) -> str:
    return f"<{name}>\n{text}\n</{name}>" if text else ""
