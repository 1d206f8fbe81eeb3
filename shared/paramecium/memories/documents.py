"""What is written by hand, as values: profile, facts, diary and memos, each a Markdown file with front matter.

Knows what a document is; `document_reader` reads them. Pure. Invariant: `text` is the file's own characters behind the
front matter, to the last one.
"""

from dataclasses import dataclass, field
from typing import Final

from paramecium.index.passages import is_grapheme_boundary
from paramecium.messages import Json

CUT: Final = "…"


@dataclass(frozen=True, slots=True)
class Document:
    """Is one file; `path` is its key below the life (facts/茶.md), `kind` its first part, `meta` the front matter.

    `text` is verbatim, `sha256` that of its UTF-8 bytes. `date` is YYYY-MM-DD from the front matter's `date`, else from
    the beginning of the file's name, else empty.
    """

    path: str
    kind: str
    text: str
    sha256: str
    date: str = ""
    meta: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Documents:
    """Is all that is written by hand, as it was last readable; `bad` says of each file that is not now, why."""

    persona: Document | None = None
    user: Document | None = None
    relationship: Document | None = None
    facts: tuple[Document, ...] = ()
    diary: tuple[Document, ...] = ()
    memos: tuple[Document, ...] = ()
    bad: tuple[str, ...] = ()

    @property
    def vault(self) -> tuple[Document, ...]:
        """Returns what recall finds beside what was said: everything but the persona, by path."""
        profile = tuple(d for d in (self.user, self.relationship) if d is not None)
        return tuple(sorted((*profile, *self.facts, *self.diary, *self.memos), key=lambda d: d.path))


def beginning(text: str, chars: int) -> str:
    """Returns the text without blank edges; of one longer than `chars`, whole graphemes of that many, and a mark."""
    text = text.strip()
    if len(text) <= chars:
        return text
    cut = chars
    while cut > 1 and not is_grapheme_boundary(text, cut):
        cut -= 1
    # What a person sees as one character may be endless; it is then cut where the limit is.
    return text[: cut if cut > 1 else chars].rstrip() + CUT
