"""The facts that correct memories: written once, word for word, and never over another."""

from pathlib import Path

import pytest

from paramecium.errors import BadInput, Conflict, OutcomeUnknown, TooLarge
from paramecium.memories import corrections as corrections_module
from paramecium.memories.corrections import Corrections
from paramecium.memories.front_matter import document
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.archive.fakes_unsure import UnsureStore

TEXT = "\n  是驱虫药，不是疫苗\r\n---\n\u2028🐱 "
AT = "2026-06-12T23:47:00.000+08:00"
BODY = f'---\ncreated: "{AT}"\ncorrects: m-1\n---\n{TEXT}'.encode()


def test_a_fact_is_written_word_for_word(tmp_path: Path) -> None:
    """Behind the front matter stands the text as it was given, in a file of its own."""
    facts = Corrections(LocalStore(tmp_path), "main")
    assert facts.write("m-1", TEXT, AT) == "facts/m-1.md"
    assert (tmp_path / "main" / "facts" / "m-1.md").read_bytes() == BODY
    read = document("facts/m-1.md", BODY)
    assert (read.text, dict(read.meta)) == (TEXT, {"created": AT, "corrects": "m-1"})
    assert facts.says("facts/m-1.md", TEXT)
    assert not facts.says("facts/m-1.md", TEXT[:-1])
    assert not facts.says("facts/m-2.md", TEXT)


def test_the_same_text_is_written_once_and_another_beside_it() -> None:
    """Whenever it is written again; a file that its owner edited is left alone."""
    store = RamStore()
    facts = Corrections(store, "main")
    paths = [
        facts.write("m-1", text, at) for text, at in ((TEXT, AT), (TEXT, "later"), ("别的", AT), ("别的", "later"))
    ]
    assert paths == ["facts/m-1.md", "facts/m-1.md", "facts/m-1-2.md", "facts/m-1-2.md"]
    assert list(store.list("main/")) == ["main/facts/m-1-2.md", "main/facts/m-1.md"]
    assert store.get("main/facts/m-1.md").body == BODY


@pytest.mark.parametrize("text", ["", " \n\u3000", "半个\ud83d"])
def test_what_can_be_no_fact_is_refused(text: str) -> None:
    """A blank text, and one that no file can hold."""
    with pytest.raises(BadInput):
        Corrections(RamStore(), "main").check(text)


def test_a_text_has_a_bound() -> None:
    """The longest fits."""
    facts = Corrections(RamStore(), "main")
    facts.check("a" * 100_000)
    with pytest.raises(TooLarge, match="100,001 bytes"):
        facts.check("a" * 100_001)


@pytest.mark.parametrize("done", [False, True])
def test_an_unknown_outcome_is_cleared_up(done: bool) -> None:
    """One file stands, whether the first write happened or not; a store that never tells is told of."""
    store = RamStore()
    assert Corrections(UnsureStore(store, unsure=range(1, 2), done=done), "main").write("m-1", TEXT, AT)
    assert list(store.list("")) == ["main/facts/m-1.md"]
    with pytest.raises(OutcomeUnknown):
        Corrections(UnsureStore(RamStore(), unsure=range(1, 9), done=False), "main").write("m-1", TEXT, AT)


def test_corrections_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond it a person is to tidy up."""
    monkeypatch.setattr(corrections_module, "FILES_MAX", 2)
    facts = Corrections(RamStore(), "main")
    facts.write("m-1", "一", AT)
    facts.write("m-1", "二", AT)
    with pytest.raises(Conflict, match="2 facts that correct m-1 stand already"):
        facts.write("m-1", "三", AT)
