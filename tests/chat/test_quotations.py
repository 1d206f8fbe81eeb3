"""Words of documents in stored answers: those of the version that was quoted, for ever."""

from paramecium.archive.conversations import Archive
from paramecium.archive.files import put_text
from paramecium.chat.rounds import GONE
from paramecium.jobs.vault import name_of
from paramecium.messages import Entry
from paramecium.store import keys
from tests.chat.fakes_chat import LIFE
from tests.chat.test_transcript import Talks
from tests.fakes import FixedClock
from tests.jobs.hand import DIARY, WORDS, document


def quoting(talks: Talks, text: str) -> str:
    """Stores a talk that quotes a diary entry, and returns the sha256 of its text."""
    name = name_of(document(DIARY, text))
    talks.say("a", "那天湖边有什么")
    talks.quote("a", 1, Entry(name.sha256, 0, text=text), name.conversation)
    return name.sha256


def test_a_quoted_document_is_put_back_as_it_was_quoted() -> None:
    """Its kept text is read once an answer; what the document says now is not asked."""
    talks = Talks()
    sha256 = quoting(talks, WORDS[DIARY])
    put_text(talks.store, LIFE, WORDS[DIARY])
    talks.calls()
    assert talks.quoted("a") == WORDS[DIARY]
    assert ("get", keys.file(LIFE, sha256)) in talks.watched.calls
    talks.calls()
    assert talks.quoted("a") == WORDS[DIARY]
    assert ("get", keys.file(LIFE, sha256)) not in talks.watched.calls


def test_a_kept_text_that_is_gone_or_another_is_told() -> None:
    """No word of another text ever stands in its place."""
    talks = Talks()
    sha256 = quoting(talks, "雨")
    assert talks.quoted("a") == GONE
    talks.store.create(keys.file(LIFE, sha256), "雪".encode())
    assert talks.quoted("a") == GONE
    talks.store.delete(keys.file(LIFE, sha256))
    put_text(talks.store, LIFE, "雨")
    assert talks.quoted("a") == "雨"


def test_a_talk_whose_name_looks_like_a_document_s_is_quoted_from_the_archive() -> None:
    """Where no text is kept under the message's id, the conversation itself is read."""
    talks = Talks()
    name = "vault-" + "a" * 40
    (entry,) = Archive(talks.store, LIFE, now=FixedClock()).append(name, [Entry("m-1", 0, role="user", text="雨")], 0)
    talks.say("a", "问")
    talks.quote("a", 1, entry, name)
    assert talks.quoted("a") == "雨"
