"""What an answer said, told again by the rounds it was made of.

Knows the form of stored rounds and how a turn joins them. Pure.
Invariant: of an entry that a turn stored, `told` gives the text, character for character.
"""

from collections.abc import Iterator, Sequence

from paramecium.chat.answer import GLUE
from paramecium.messages import Json
from paramecium.upstream.halves import Halves


def told(rounds: Sequence[Json]) -> str:
    """Returns the words of the assistant's rounds, those of two rounds with a blank line between them."""
    return GLUE.join(filter(None, map(_text, rounds)))


def _text(one: Json) -> str:
    halves = Halves()
    return "".join(map(halves.feed, _pieces(one))) + halves.flush()


def _pieces(one: Json) -> Iterator[str]:
    content = one.get("content") if one.get("role") == "assistant" else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            yield block["text"]
