"""Transcripts: read once, kept warm, and with recalled words put back from wherever they stand."""

from typing import Any

import pytest

from paramecium.archive.conversations import Archive
from paramecium.chat.rounds import GONE, keep
from paramecium.chat.transcript import Transcripts
from paramecium.errors import ConversationMissing
from paramecium.messages import Entry, dump_json, entry_to
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import LIFE, Piece
from tests.chat.test_rounds import rounds
from tests.fakes import FixedClock, WatchedStore

NOTHING_NEW = ["list"]


class Talks:
    """Is an archive with talks, and transcripts over it whose store calls are counted."""

    def __init__(self) -> None:
        self.store = RamStore()
        self.watched = WatchedStore(self.store)
        self.archive = Archive(self.store, LIFE, now=FixedClock())
        self.transcripts = Transcripts(Archive(self.watched, LIFE, now=FixedClock()), LIFE)

    def say(self, conv: str, *texts: str, at: int = 0, **more: Any) -> tuple[Entry, ...]:
        """Stores messages in one block, each following the one before."""
        drafts = []
        for i, text in enumerate(texts, at):
            parent = f"{conv}-{i - 1}" if i else None
            drafts.append(Entry(f"{conv}-{i}", i, parent=parent, role="user", text=text, **more))
        return self.archive.append(conv, drafts, at)

    def quote(self, conv: str, at: int, entry: Entry, source: str) -> None:
        """Stores an answer that quotes an entry as a whole."""
        words = {"conversation": source, "message": entry.id, "n": entry.n, "start": 0, "end": len(entry.text)}
        parts = [Piece(entry.text, words)]
        answer = Entry(f"{conv}-{at}", at, parent=f"{conv}-{at - 1}", role="assistant", text="好")
        kept = keep(rounds(parts), {(1, 0): parts})
        more = {f: getattr(answer, f) for f in ("id", "n", "parent", "role", "text")}
        self.archive.append(conv, [Entry(**more, rounds=kept)], at)

    def quoted(self, conv: str) -> str:
        """Returns the result the last answer of a talk was given."""
        return str(self.transcripts.load(conv).path(None)[-1].rounds[1]["content"][0]["content"])

    def calls(self) -> list[str]:
        """Returns and forgets the store calls made."""
        names = [name for name, _ in self.watched.calls]
        self.watched.calls.clear()
        return names


def test_a_warm_transcript_reads_only_what_is_new() -> None:
    """The first load lists and reads all, the next lists, and reads only new blocks."""
    talks = Talks()
    talks.say("a", "一", "二")
    talks.say("a", "三", at=2)
    assert [e.text for e in talks.transcripts.load("a").entries] == ["一", "二", "三"]
    assert talks.calls() == ["list", "get", "get"]
    talks.transcripts.load("a")
    assert talks.calls() == NOTHING_NEW
    talks.say("a", "四", at=3)
    assert talks.transcripts.load("a").tail == 4
    assert talks.calls() == ["list", "get"]


def test_only_four_are_kept() -> None:
    """The one used longest ago is read anew."""
    talks = Talks()
    for conv in "abcde":
        talks.say(conv, "一")
        talks.transcripts.load(conv)
    talks.calls()
    talks.say("a", "二", at=1)
    talks.transcripts.load("e")
    assert talks.calls() == NOTHING_NEW
    talks.transcripts.load("a")
    assert talks.calls() == ["list", "get", "get"]


def test_entries_of_this_process_are_not_read_back() -> None:
    """What was just stored joins the warm transcript, unless somebody else wrote in between."""
    talks = Talks()
    talks.transcripts.add("a", talks.say("a", "一"))
    assert talks.transcripts.load("a").tail == 1
    assert talks.calls() == NOTHING_NEW
    talks.say("a", "二", at=1)
    talks.transcripts.add("a", talks.say("a", "三", at=2))
    assert [e.text for e in talks.transcripts.load("a").entries] == ["一", "二", "三"]


def test_paths_end_where_they_are_asked_to() -> None:
    """None is the leaf, "" is nothing, a message is itself; what is not there is missing."""
    talks = Talks()
    talks.say("a", "一", "二", "三")
    transcript = talks.transcripts.load("a")
    assert [e.text for e in transcript.path(None)] == ["一", "二", "三"]
    assert [e.text for e in transcript.path("a-1")] == ["一", "二"]
    assert transcript.path("") == ()
    for conv, parent in (("a", "a-9"), ("b", None)):
        with pytest.raises(ConversationMissing):
            talks.transcripts.load(conv).path(parent)


def test_a_tombstone_keeps_the_chain() -> None:
    """What was said before a forgotten message stays on the path."""
    talks = Talks()
    talks.say("a", "一")
    talks.archive.append("a", [Entry("a-1", 1, kind="tombstone", parent="a-0", role="user")], 1)
    talks.say("a", "三", at=2)
    transcript = talks.transcripts.load("a")
    assert [e.text for e in transcript.path(None)] == [e.text for e in transcript.path("a-2")] == ["一", "三"]


def test_words_of_the_same_talk_cost_no_reading() -> None:
    """A reference into the talk at hand is resolved from what is there."""
    talks = Talks()
    (first,) = talks.say("a", "枇杷黄了")
    talks.quote("a", 1, first, "a")
    assert talks.quoted("a") == "枇杷黄了"
    assert talks.calls() == ["list", "get", "get"]


def test_words_of_another_talk_are_read_once() -> None:
    """A live message is one read; one inside an imported block needs its conversation; both only the first time."""
    talks = Talks()
    other = (*talks.say("b", "甲", "枇杷黄了"), *talks.say("b", "雪", at=2))
    for number, (entry, reads) in enumerate([(other[2], ["get"]), (other[1], ["get", "list", "get", "get"])]):
        conv = f"a{number}"
        talks.say(conv, "问")
        talks.quote(conv, 1, entry, "b")
        assert talks.quoted(conv) == entry.text
        assert talks.calls() == ["list", "get", "get", *reads]
        assert talks.quoted(conv) == entry.text
        assert talks.calls() == NOTHING_NEW


def test_words_that_are_gone_are_told_and_asked_for_again() -> None:
    """A forgotten message leaves one sentence, without a word of it, and does not break the talk."""
    talks = Talks()
    (entry,) = talks.say("b", "枇杷黄了")
    talks.say("a", "问")
    talks.quote("a", 1, entry, "b")
    assert talks.quoted("a") == "枇杷黄了"
    key = keys.block(LIFE, "b", 0)
    tombstone = dump_json([entry_to(Entry(entry.id, 0, kind="tombstone", role="user"))])
    talks.store.replace(key, tombstone, talks.store.get(key).version)
    cold = Talks()
    cold.store, cold.transcripts = talks.store, Transcripts(Archive(talks.store, LIFE, now=FixedClock()), LIFE)
    assert cold.quoted("a") == GONE
    talks.store.delete(key)
    assert cold.quoted("a") == GONE


def test_a_damaged_source_never_stops_a_talk() -> None:
    """A block that cannot be read is as good as gone for who quotes it."""
    talks = Talks()
    (entry,) = talks.say("b", "枇杷黄了")
    talks.say("a", "问")
    talks.quote("a", 1, entry, "b")
    key = keys.block(LIFE, "b", 0)
    talks.store.replace(key, b"[", talks.store.get(key).version)
    assert talks.quoted("a") == GONE
