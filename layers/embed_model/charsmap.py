"""Writes a table of character replacements as a SentencePiece `precompiled_charsmap`.

Knows the format: u32 byte length of a trie, the trie as a darts-clone double array of u32 units, then the replacements
as NUL-terminated UTF-8. A unit holds a label (bits 0–7), "a value hangs here" (bit 8) and the offset to its children,
by exclusive or (bits 10–30); a value unit has bit 31 and the place of a replacement. Refuses to know what is replaced.
Invariant: a lookup of any character gives its replacement from the table, or nothing when it has none.
"""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_VALUE = 0  # no UTF-8 text holds a NUL byte, so the label 0 is free for the value of a node
_PAGE = 256
_OFFSET_LIMIT = 1 << 21


class Node(dict[int, "Node"]):
    """A trie node: children by byte, and the place of a replacement if a character ends here."""

    value: int | None = None


def written(replacements: Mapping[int, Sequence[int]]) -> bytes:
    """Gives the bytes of the map from code points to code points; surrogates and NUL are no text and left out."""
    root, places, strings = Node(), {}, bytearray()
    for code, replacement in sorted(replacements.items()):
        if code == 0 or 0xD800 <= code < 0xE000:
            continue
        text = "".join(map(chr, replacement)).encode()
        if text not in places:
            places[text] = len(strings)
            strings += text + b"\0"
        node = root
        for byte in chr(code).encode():
            node = node.setdefault(byte, Node())
        node.value = places[text]
    units = _double_array(root)
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + bytes(strings)


def _double_array(root: Node) -> list[int]:
    units, taken, bases, start = [0], {0}, {0}, 1
    waiting = deque([(0, root)])
    while waiting:
        place, node = waiting.popleft()
        labels = list(node) + ([_VALUE] if node.value is not None else [])
        base = _free_base(start, place, labels, taken, bases)
        bases.add(base)
        taken.update(base ^ label for label in labels)
        if len(labels) > 8:
            start = max(start, base - _PAGE)  # what lies further back is nearly full
        while len(units) <= base | (_PAGE - 1):
            units += [0] * _PAGE
        units[place] |= (place ^ base) << 10
        if node.value is not None:
            units[place] |= 1 << 8
            units[base] = 1 << 31 | node.value
        for byte, child in node.items():
            units[base ^ byte] = byte
            waiting.append((base ^ byte, child))
    return units


def _free_base(start: int, place: int, labels: Sequence[int], taken: set[int], bases: set[int]) -> int:
    base = start
    while base in bases or place ^ base >= _OFFSET_LIMIT or any(base ^ label in taken for label in labels):
        base += 1
    return base
