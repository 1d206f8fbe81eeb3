"""The title of a memory: the beginning of its content on one line, as menus and lists show it.

Pure. Invariant: a title holds at most 60 characters, and no character a person sees is cut in two.
"""

import re
from typing import Final

from paramecium.index.passages import is_grapheme_boundary

TITLE_CHARS_MAX: Final = 60
_BREAKS = re.compile("[\0-\x1f\x7f\x85\u2028\u2029]+")


def title_of(content: str) -> str:
    """Returns the beginning of `content` with each run of line breaks and control characters as one space."""
    line = _BREAKS.sub(" ", content)
    if len(line) <= TITLE_CHARS_MAX:
        return line
    cut = TITLE_CHARS_MAX
    while cut > 0 and not is_grapheme_boundary(line, cut):
        cut -= 1
    # One character longer than a whole title is cut all the same.
    return line[: cut or TITLE_CHARS_MAX]
