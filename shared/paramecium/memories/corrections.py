"""The facts that correct memories: Markdown files with front matter, written once and edited by their owner.

Knows the form in which a correction is first written; reads back only whether a text is the one that stands.
Invariant: behind the front matter stands exactly the text that was given, and one text for one memory is one file.
"""

from dataclasses import dataclass
from itertools import count, islice
from typing import Final

from paramecium import clock
from paramecium.errors import AlreadyExists, BadInput, Conflict, KeyMissing, OutcomeUnknown, TooLarge
from paramecium.store import keys
from paramecium.store.base import AppendOnly

FILES_MAX: Final = 100
BYTES_MAX: Final = 100_000
TRIES_MAX: Final = 3
_PAUSE_S = 0.05
_RULE: Final = b"\n---\n"


@dataclass(frozen=True, slots=True)
class Corrections:
    """Writes the facts of one life that correct a memory, and never over one that stands."""

    store: AppendOnly
    life: str

    def check(self, text: str) -> None:
        """Raises BadInput for a text that is blank or holds half a character, TooLarge over 100,000 bytes."""
        if not text.strip():
            raise BadInput("the text of a correction is blank")
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise BadInput(f"the text of a correction holds half a character at {error.start}") from error
        if size > BYTES_MAX:
            raise TooLarge(f"the text of a correction has {size:,} bytes, and a fact {BYTES_MAX:,} at most")

    def write(self, memory: str, text: str, created: str) -> str:
        """Returns the path below the life of the fact that says `text`, written unless it stands already.

        Raises Conflict when 100 other corrections of this memory stand, and OutcomeUnknown.
        """
        # In quotes, so that YAML reads the moment as it is written and makes no other of it.
        body = f'---\ncreated: "{created}"\ncorrects: {memory}'.encode() + _RULE + text.encode("utf-8")
        for number in islice(count(1), FILES_MAX):
            path = keys.fact_path(f"{memory}.md" if number == 1 else f"{memory}-{number}.md")
            if self._create(path, body) or self.says(path, text):
                return path
        raise Conflict(f"{FILES_MAX} facts that correct {memory} stand already")

    def says(self, path: str, text: str) -> bool:
        """Tells whether the fact stands and holds, behind its front matter, exactly `text`."""
        try:
            body = self.store.get(keys.document(self.life, path)).body
        except KeyMissing:
            return False
        return body.partition(_RULE)[2] == text.encode("utf-8")

    def _create(self, path: str, body: bytes) -> bool:
        """Tells whether the file was made now; one whose making is unknown is looked for by its words."""
        for attempt in range(TRIES_MAX):
            try:
                self.store.create(keys.document(self.life, path), body)
            except AlreadyExists:
                return False
            except OutcomeUnknown:
                if attempt == TRIES_MAX - 1:
                    raise
                clock.wait(clock.jitter(_PAUSE_S))
            else:
                return True
        return False
