"""What of a turn is stored: every message after the person's words, with recalled words as references.

Pure. A tool's result that quotes the archive is kept as where its words stand and a hash of the whole text, so that
no word is stored twice and a forgotten word is forgotten here too.
Invariant: `restore(keep(rounds, answers), words) == rounds` as long as the words still stand.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from paramecium.messages import Json, whole

GONE: Final = "[these words are no longer there]"

Words = Callable[[str, int, str, int, int], str | None]
# Message and block among the rounds; ids of calls do not serve, since some services use them again and again.
Place = tuple[int, int]


class Part(Protocol):
    """Is a piece of a tool's answer; `words` says where it stands in the archive when it is a quotation."""

    @property
    def text(self) -> str:
        """Returns the piece itself."""
        ...

    @property
    def words(self) -> Json | None:
        """Returns {"conversation", "message", "n", "start", "end"}, with "memory" for a memory's quote, or None."""
        ...


def joined(parts: Sequence[Part]) -> str:
    """Returns the text of a tool's answer."""
    return whole("".join(p.text for p in parts))


def keep(rounds: Sequence[Json], answers: Mapping[Place, Sequence[Part]]) -> tuple[Json, ...]:
    """Returns the rounds as they are stored; `answers` maps the place of a result to the parts it is made of."""
    return tuple(
        {**m, "content": [_keep(b, answers.get((i, j), ())) for j, b in enumerate(m["content"])]}
        for i, m in enumerate(rounds)
    )


def restore(rounds: Sequence[Json], words: Words) -> tuple[Json, ...]:
    """Returns the rounds as they were sent.

    `words(conversation, n, message, start, end)` returns the characters that stand there now, or None. A result whose
    words are gone or are others now becomes one fixed sentence.
    """
    return tuple({**m, "content": [_restore(b, words) for b in m["content"]]} for m in rounds)


def has_recalled(rounds: Sequence[Json]) -> bool:
    """Tells whether any result among the rounds is kept as references."""
    return any(_is_recalled(b) for m in rounds for b in m["content"])


def recalled_parts(rounds: Sequence[Json]) -> Iterator[Json]:
    """Yields the references of the results that are kept as such, in order: where each quoted piece stands."""
    for block in (b for m in rounds for b in m["content"]):
        if _is_recalled(block):
            yield from (part for part in block["content"]["parts"] if "text" not in part)


def _keep(block: Json, parts: Sequence[Part]) -> Json:
    if not any(p.words for p in parts):
        return block
    kept = [dict(p.words) if p.words else {"text": p.text} for p in parts]
    return {**block, "content": {"type": "recalled", "parts": kept, "sha256": _sha256(joined(parts))}}


def _restore(block: Json, words: Words) -> Json:
    if not _is_recalled(block):
        return block
    content = block["content"]
    texts = [_text(part, words) for part in content["parts"]]
    text = whole("".join(t for t in texts if t is not None))
    stands = None not in texts and _sha256(text) == content["sha256"]
    return {**block, "content": text if stands else GONE}


def _text(part: Json, words: Words) -> str | None:
    if "text" in part:
        return str(part["text"])
    return words(part["conversation"], part["n"], part["message"], part["start"], part["end"])


def _is_recalled(block: Json) -> bool:
    content: Any = block.get("content")
    return isinstance(content, dict) and content.get("type") == "recalled"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
