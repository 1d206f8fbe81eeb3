"""Knows what the notes of the sample life promise: each stands on words of the message it names."""

import json
import re
from datetime import date

from paramecium.memories.batches import Batch
from paramecium.memories.extraction import read_answer
from paramecium.memories.quotes import find_quote
from paramecium.memories.spoken import Spoken
from tests.examples.test_sample_life import Record, read_life, read_records

CONTENT_CHARS_MAX = 60


def read_notes() -> list[Record]:
    """Returns the notes of the sample life."""
    return read_records("sample_notes.jsonl")


def message_of(note: Record) -> Record:
    """Returns the message a note names."""
    messages: list[Record] = next(c["messages"] for c in read_life() if c["id"] == note["conversation"])
    return messages[note["message"]]


def test_every_note_stands_on_its_message() -> None:
    """The quote of each note is found in its message, and is cut from it character for character."""
    for note in read_notes():
        text = message_of(note)["content"]
        found = find_quote(note["quote"], text)
        assert found is not None, note["content"]
        assert text[slice(*found)] == note["quote"]


def test_notes_are_short_different_and_of_a_day() -> None:
    """There are 60 to 80, each at most 60 characters and said once; a date is of the calendar, not after its words."""
    notes = read_notes()
    assert 60 <= len(notes) <= 80
    assert len({note["content"] for note in notes}) == len({(note["message"], note["quote"]) for note in notes})
    for note in notes:
        assert 0 < len(note["content"]) <= CONTENT_CHARS_MAX
        assert not note["date"] or date.fromisoformat(note["date"]) <= date.fromisoformat(message_of(note)["at"][:10])


def test_every_conversation_has_notes() -> None:
    """No conversation of the sample life goes without a note, and both speak in them."""
    notes = read_notes()
    assert {note["conversation"] for note in notes} == {conversation["id"] for conversation in read_life()}
    assert {message_of(note)["role"] for note in notes} == {"user", "assistant"}


def test_later_notes_supersede_earlier_ones() -> None:
    """At least ten notes say that an earlier one no longer holds, and each names a line before its own."""
    notes = read_notes()
    later = [(i, note["supersedes"]) for i, note in enumerate(notes) if "supersedes" in note]
    assert len(later) >= 10
    assert [pair for pair in later if pair[1] >= pair[0]] == []
    assert len({earlier for _, earlier in later}) == len(later)


def test_no_note_says_a_number_that_was_not_said() -> None:
    """Numbers and Latin words of a note stand in its conversation."""
    told = {c["id"]: "\n".join(m["content"] for m in c["messages"]) for c in read_life()}
    found = 0
    for note in read_notes():
        for word in re.findall(r"[0-9.]+|[A-Za-z_]+", note["content"]):
            found += 1
            assert word in told[note["conversation"]], note["content"]
    assert found > 10


def batch_of(conversation: str) -> Batch:
    """Returns all that was said in a conversation, as one batch."""
    messages = next(c["messages"] for c in read_life() if c["id"] == conversation)
    said = (
        Spoken(conversation, f"{n}", n, m["role"], m["speaker"], m["at"], m["content"]) for n, m in enumerate(messages)
    )
    return Batch((), tuple(said))


def test_an_answer_with_these_notes_is_taken_whole() -> None:
    """Had a small model answered with a note, nothing of it would have been dropped: it says what its words say."""
    for note in read_notes():
        answer = json.dumps([{name: note[name] for name in ("date", "content", "quote")}], ensure_ascii=False)
        read = read_answer(answer, batch_of(note["conversation"]), noted={}, person="林夏", ai="小满")
        assert (read.dropped, [n.content for n in read.notes]) == ({}, [note["content"]]), note["content"]
        assert [(n.message, n.quote) for n in read.notes] == [(f"{note['message']}", note["quote"])]
