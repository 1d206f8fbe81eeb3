"""What notes of imported conversations would cost, before anybody is asked.

Invariant: asks no model, and counts the questions that the job itself would ask; only what an answer says is guessed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from paramecium.archive.conversations import Archive
from paramecium.errors import BadId, Damaged, Missing
from paramecium.jobs.extract_cursor import Cursor, Stream
from paramecium.jobs.extract_pending import reading
from paramecium.memories import extraction
from paramecium.memories.tokens import estimated_tokens
from paramecium.messages import Json
from paramecium.settings import Settings

# A full answer is five notes of some fifty tokens each; most are shorter.
ANSWER_TOKENS: Final = 150
# One comparison a batch: the instruction and a few earlier notes, and one verdict or none.
COMPARISON_TOKENS_IN: Final = 700
COMPARISON_TOKENS_OUT: Final = 50


@dataclass(frozen=True, slots=True)
class Estimate:
    """Counts what would be read; `calls` and tokens are about what it takes, comparisons included.

    `wanted` is what the cursor notes of each conversation once a person wants it (see extract_cursor).
    """

    conversations: int = 0
    messages: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    wanted: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> Json:
        """Returns the figures as JSON."""
        return {name: getattr(self, name) for name in ("conversations", "messages", "calls", "tokens_in", "tokens_out")}


def estimate(archive: Archive, cursor: Cursor, conversations: Iterable[str], settings: Settings) -> Estimate:
    """Returns what notes of what was imported in these conversations would take; one that cannot be read is left out.

    What was read already is not counted again.
    """
    wanted: dict[str, Json] = {}
    questions = tokens = 0
    for conversation in dict.fromkeys(conversations):
        try:
            entries = archive.read(conversation)
        except (BadId, Damaged, Missing):
            continue
        stream = Stream(conversation, is_import=True)
        found = reading(entries, stream, cursor.position(stream), silent=True)
        left = sum(len(batch.new) for batch in found.batches)
        if not left:
            continue
        at = next((said.at for said in found.batches[0].new if said.at), "")
        wanted[conversation] = {"n": found.base, "left": left, "at": at}
        for batch in found.batches:
            asked = extraction.ask(batch, language=settings.language, person=settings.person, ai=settings.ai)
            questions += 1
            tokens += estimated_tokens(asked.system) + estimated_tokens(asked.text)
    messages = sum(one["left"] for one in wanted.values())
    tokens += questions * COMPARISON_TOKENS_IN
    answered = questions * (ANSWER_TOKENS + COMPARISON_TOKENS_OUT)
    return Estimate(len(wanted), messages, 2 * questions, tokens, answered, wanted)
