"""Taking notes: what a small model is asked about a batch of messages, and what of its answer becomes a memory.

Pure. Invariant: a note stands on a quote that is in the messages, and says no number, date or Latin word that is not in
the batch; nothing is repaired, what does not hold is dropped and counted under a reason.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from paramecium.memories.batches import Batch, excerpt
from paramecium.memories.claims import Shown, is_about_prompt, is_date, is_supported, is_written_alike, shown_in
from paramecium.memories.events import Note
from paramecium.memories.extraction_words import repeats_instruction, words_of
from paramecium.memories.questions import Question, first_array, mark_for, stamp
from paramecium.memories.quotes import QUOTE_CHARS_MAX, QUOTE_CHARS_MIN, find_quote, fold, memory_id
from paramecium.memories.spoken import Spoken
from paramecium.messages import encodable

ITEMS_MAX: Final = 5
CONTENT_CHARS_MAX: Final = 300

Noted = Mapping[tuple[str, str], Sequence[tuple[int, int]]]
"""The ranges (start, end) that earlier memories stand on, by (conversation, message id)."""

REASONS: Final = (
    "prose", "half_json", "bad_json", "too_many", "no_object", "no_content", "long_content", "no_quote", "quote_short",
    "quote_long", "not_quoted", "already", "unsupported", "about_prompt", "bad_date",
)  # fmt: skip


class Reading(NamedTuple):
    """Is what became of an answer: its notes, how much was dropped by reason, and whether the answer came whole.

    Two reasons drop no item: `prose` (words around the array) and `bad_date` (the note is kept without a date). An
    answer that is not `whole` (half_json, bad_json) has no notes: it was cut off, or is no JSON.
    """

    notes: tuple[Note, ...]
    dropped: Mapping[str, int]
    whole: bool


def ask(batch: Batch, *, language: str, person: str, ai: str) -> Question:
    """Returns the question about a batch, in the language "zh" or else in English.

    Every message begins with a mark that occurs in none of them: no words can pass for another message, or for ours.
    """
    words = words_of(language)
    mark = mark_for([encodable(text) for said in batch.messages for text in (said.text, said.speaker)])
    lines = [words.before.format(mark=mark)]
    for place, said in enumerate(batch.messages):
        earlier = words.earlier if place < len(batch.overlap) else ""
        head, left_out, tail = excerpt(said.text)
        shown = head + words.left_out.format(count=left_out) + tail if left_out else head
        at = stamp(said.at) or words.unknown
        lines.append(f"{mark} [{at}] {_speaker(said, person, ai)}{earlier}{words.colon}\n{shown}")
    lines.append(f"{mark} {words.after}")
    return Question(words.system.format(person=person, ai=ai), encodable("\n\n".join(lines)))


def read_answer(answer: str, batch: Batch, *, noted: Noted, person: str = "", ai: str = "") -> Reading:
    """Returns the notes of an answer; `person` and `ai` are the names that `ask` showed."""
    read = first_array(answer)
    dropped = Counter({read.fault: 1} if read.fault else {})
    dropped["too_many"] = max(len(read.items) - ITEMS_MAX, 0)
    taking = _Taking(batch, noted, _shown(batch, person, ai), (person, ai))
    notes: list[Note] = []
    for item in read.items[:ITEMS_MAX]:
        note = taking.note(item)
        if isinstance(note, str):
            dropped[note] += 1
            continue
        if item.get("date") and not note.date:
            dropped["bad_date"] += 1
        notes.append(note)
    return Reading(tuple(notes), {reason: count for reason, count in dropped.items() if count}, read.is_whole)


class _Place(NamedTuple):
    """Is where a quote was found."""

    said: Spoken
    start: int
    end: int


class _Taking:
    """Holds what is known while the items of one answer are read: the batch, what it shows, and what is noted."""

    def __init__(self, batch: Batch, noted: Noted, shown: Shown, names: Sequence[str]) -> None:
        self._batch, self._shown = batch, shown
        self._texts = [said.text for said in batch.messages]
        self._names = {*names, *(said.speaker for said in batch.messages)}
        self._noted = {place: list(ranges) for place, ranges in noted.items() if place[0] == batch.conversation}

    def note(self, item: Any) -> Note | str:
        """Returns the note of an item, or the reason why it is none."""
        if not isinstance(item, dict):
            return "no_object"
        content, quote = item.get("content"), item.get("quote")
        if not isinstance(content, str) or not any(map(str.isalnum, content)):
            return "no_content"
        if len(content) > CONTENT_CHARS_MAX:
            return "long_content"
        if not isinstance(quote, str) or not fold(quote):
            return "no_quote"
        place = self._place(quote)
        return place if isinstance(place, str) else self._note(content, item.get("date"), place)

    def _place(self, quote: str) -> _Place | str:
        """Returns where the quote stands in the newest new message that has it, or the reason why nowhere."""
        for said in reversed(self._batch.new):
            if found := find_quote(quote, said.text):
                return _Place(said, *found)
        if any(find_quote(quote, said.text) for said in self._batch.overlap):
            return "already"
        if len(fold(quote)) < QUOTE_CHARS_MIN:
            return "quote_short"
        return "quote_long" if len(fold(quote)) > QUOTE_CHARS_MAX else "not_quoted"

    def _note(self, content: str, date: object, place: _Place) -> Note | str:
        said, start, end = place
        quote = said.text[start:end]
        if not is_supported(content, self._shown) or not is_written_alike(content, self._texts, self._names):
            return "unsupported"
        if is_about_prompt(content, quote) or repeats_instruction(content, said.text):
            return "about_prompt"
        ranges = self._noted.setdefault((said.conversation, said.message), [])
        if any(start < noted_end and noted_start < end for noted_start, noted_end in ranges):
            return "already"
        ranges.append((start, end))
        ident = memory_id(said.conversation, said.message, start, end, quote)
        day = str(date) if is_date(date, said.at) else ""
        place_of = (said.conversation, said.message, said.n, start, end)
        return Note(ident, content, quote, *place_of, day, said.at, said.speaker, said.role)


def _shown(batch: Batch, person: str, ai: str) -> Shown:
    """Returns what a note may claim: of every message its time, its speaker, and the words that were shown."""
    texts = [person, ai]
    for said in batch.messages:
        head, _, tail = excerpt(said.text)
        texts += [stamp(said.at), said.speaker, head, tail]
    return shown_in(texts)


def _speaker(said: Spoken, person: str, ai: str) -> str:
    """Returns the speaker's name on one line; who has none is called by role."""
    name = said.speaker or (ai if said.role == "assistant" else person)
    return name.replace("\r", " ").replace("\n", " ")
