"""Documents come into the index beside what was said, each as it stands now."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.archive.files import get_text
from paramecium.errors import StoreUnavailable, VersionMismatch
from paramecium.jobs import ingest, vault_ingest
from paramecium.jobs.vault import Vault
from paramecium.memories.documents import Documents
from paramecium.memories.good_documents import read_good
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.jobs.hand import DIARY, FACT, MEMO, USER, WORDS, Desk, vault, written
from tests.jobs.lives import Life, MeanwhileStore, indexed, manifest_of, objects, small_life

LISTS = [("list", keys.documents("main", kind)) for kind in keys.DOCUMENT_KINDS]


def life_with_documents(folder: Path) -> tuple[Life, Desk]:
    """Returns a small life and its desk, all ingested."""
    life = small_life(RamStore(), folder)
    life.by_hand = True
    desk = written(life.store)
    life.ingest()
    return life, desk


def ways(life: Life, text: str) -> list[list[str]]:
    """Returns the titles found by the characters, and of those found by meaning and words that hold the text."""
    exact = [w.title for w in life.recall(text, exact=True, n=50).windows]
    near = [w.title for w in life.recall(text, n=50).windows if text in w.text]
    return [exact, near]


def test_all_documents_come_in_word_for_word(tmp_path: Path) -> None:
    """Diary, memo, fact and user are found by their characters and by meaning, with title, day and words as written."""
    life, _ = life_with_documents(tmp_path)
    for path, title in ((DIARY, "diary/2026-06-11"), (FACT, "facts/茶"), (MEMO, MEMO[:-3]), (USER, "profile/user")):
        for way in ({"exact": True}, {}):
            windows = [w for w in life.recall(WORDS[path][:12], **way).windows if w.title == title]
            assert [w.text for w in windows] == [WORDS[path]]
    assert life.recall("䴙䴘", exact=True).windows[0].date == "2026-06-11"
    assert life.verify().problems == ()


def test_their_texts_are_kept_and_nothing_else_canonical_changes(tmp_path: Path) -> None:
    """Each version stands under its hash, written once."""
    life = small_life(RamStore(), tmp_path)
    life.by_hand = True
    written(life.store)
    before = objects(life.store, "main/")
    assert life.ingest().documents == 4
    new = {key for key in objects(life.store, "main/") if key not in before}
    assert new == {keys.file("main", name.sha256) for name in manifest_of(life.store).vault.values()}
    kept = {get_text(life.store, "main", key.rpartition("/")[2]) for key in new}
    assert kept == set(WORDS.values())


def test_nothing_new_costs_the_reading(tmp_path: Path) -> None:
    """An unchanged life is read and nothing is written; one without documents costs four lists more than before."""
    life, desk = life_with_documents(tmp_path)
    watched = WatchedStore(life.store)
    assert ingest.ingest(life.indexer(watched), check=False) == ingest.IngestReport()
    assert {name for name, _ in watched.calls} == {"get", "list"}
    for path in WORDS:
        desk.remove(path)
    life.ingest()
    for new in (0, 1):
        calls: list[list[tuple[str, str]]] = []
        for by_hand in (None, vault):
            if new:
                life.now.forward(minutes=1)
                life.say(f"new-{len(calls)}", Entry(f"m-{len(calls)}", 0, role="user", text="又下雨了"))
            watched = WatchedStore(life.store)
            source = by_hand(watched) if by_hand else None
            assert ingest.ingest(life.indexer(watched, vault=source), check=False).messages == new
            calls.append(watched.calls)
        assert len(calls[1]) == len(calls[0]) + 4 == (8, 15)[new]
        assert calls[1][-4:] == LISTS


def test_a_changed_document_is_found_as_it_is_and_not_as_it_was(tmp_path: Path) -> None:
    """The old words are found by no way, the new ones by all; only the new version is embedded."""
    life, desk = life_with_documents(tmp_path)
    assert ways(life, "䴙䴘") == [["diary/2026-06-11"]] * 2
    old = manifest_of(life.store).vault[DIARY].conversation
    life.embedder.embedded.clear()
    desk.write(DIARY, "今天在湖边走了很久，看见三只凤头潜鸭。")
    report = life.ingest()
    assert (report.documents, report.passages, len(life.embedder.embedded)) == (1, 1, 1)
    assert ways(life, "䴙䴘") == [[], []]
    assert ways(life, "凤头潜鸭") == [["diary/2026-06-11"]] * 2
    assert manifest_of(life.store).dead == (old,)
    assert life.verify().problems == ()


def test_a_removed_document_is_found_no_more_until_it_comes_back(tmp_path: Path) -> None:
    """Put back as it was, it is found again, and nothing is embedded for it."""
    life, desk = life_with_documents(tmp_path)
    whole = manifest_of(life.store).vault
    desk.remove(FACT)
    life.ingest()
    assert ways(life, "凤凰单丛") == [[], []]
    life.embedder.embedded.clear()
    desk.write(FACT, WORDS[FACT])
    assert life.ingest().documents == 0
    assert ways(life, "凤凰单丛") == [["facts/茶"]] * 2
    assert life.embedder.embedded == []
    assert (manifest_of(life.store).vault, manifest_of(life.store).dead) == (whole, ())
    assert life.verify().problems == ()


def test_a_bad_file_is_found_as_it_last_was(tmp_path: Path) -> None:
    """A document that cannot be read any more keeps its version while its file stands."""
    life, desk = life_with_documents(tmp_path)
    desk.write(FACT, b"\xff\xfe")
    life.ingest()
    assert ways(life, "凤凰单丛") == [["facts/茶"]] * 2
    desk.remove(FACT)
    life.ingest()
    assert ways(life, "凤凰单丛") == [[], []]


def test_many_documents_come_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run in many commits, or many runs of one document each, give the same index."""
    monkeypatch.setattr(vault_ingest, "BATCH_PASSAGES", 2)
    at_once, one_by_one = (Life(RamStore(), tmp_path / name, by_hand=True) for name in "ab")
    days = [f"diary/2026-05-{d:02d}.md" for d in range(1, 9)]
    for day in days:
        Desk(at_once.store).write(day, f"{day}的日记，天气很好。")
    assert at_once.ingest().documents == 8
    assert manifest_of(at_once.store).generation >= 4
    for day in days:
        Desk(one_by_one.store).write(day, f"{day}的日记，天气很好。")
        one_by_one.ingest()
    assert indexed(at_once.store, at_once) == indexed(one_by_one.store, one_by_one)
    assert manifest_of(at_once.store).vault == manifest_of(one_by_one.store).vault
    assert at_once.recall("天气", n=8) == one_by_one.recall("天气", n=8)


def test_two_runs_at_once_take_each_version_in_once(tmp_path: Path) -> None:
    """Whoever loses the race looks again, and what the other took in is not taken in twice."""
    life, desk = life_with_documents(tmp_path)
    desk.write(DIARY, "雨下了一整天。")
    racing = MeanwhileStore(life.store, "replace", "manifest.json", life.ingest)
    assert life.ingest(racing).documents == 0
    assert racing.happened
    assert ways(life, "雨下了一整天") == [["diary/2026-06-11"]] * 2
    assert life.verify().problems == ()


def test_who_always_loses_gives_up(tmp_path: Path) -> None:
    """After six lost races a run ends, and the next one goes on."""
    life, desk = life_with_documents(tmp_path)

    class Busy(WatchedStore):
        times = 0

        def replace(self, key: str, body: bytes, expected_version: str) -> str:
            """Lets another run write first, each time, and somebody write on behind it."""
            self.times += 1
            desk.write(DIARY, f"第{self.times}稿")
            life.ingest()
            desk.write(FACT, f"阿月改喝第{self.times}种白茶了。")
            return super().replace(key, body, expected_version)

    desk.write(FACT, "阿月改喝白茶了。")
    with pytest.raises(VersionMismatch):
        life.ingest(Busy(life.store))
    assert life.ingest().documents == 1
    assert ways(life, "改喝第6种白茶") == [["facts/茶"]] * 2
    assert life.verify().problems == ()


def test_the_last_good_texts_are_kept_at_the_end(tmp_path: Path) -> None:
    """They are written behind the manifest that names the documents; in a life that has none nothing is."""
    life, desk = life_with_documents(tmp_path)
    assert set(read_good(life.store, "main")) == set(WORDS)
    desk.remove(USER)
    watched = WatchedStore(life.store)
    ingest.ingest(life.indexer(watched), check=False)
    assert set(read_good(life.store, "main")) == {DIARY, FACT, MEMO}
    changed = [key for name, key in watched.calls if name in ("create", "replace")]
    assert changed[-2:] == [keys.manifest("main"), keys.good_documents("main")]
    bare = small_life(RamStore(), tmp_path)
    bare.by_hand = True
    bare.ingest()
    assert objects(bare.store, "derived/main/documents/") == {}


class Away:
    """Is a desk that cannot be reached."""

    def read(self) -> Documents:
        """Fails."""
        raise StoreUnavailable("the store is away")


def test_what_was_said_comes_in_though_documents_cannot_be_read(tmp_path: Path) -> None:
    """The talks are in the index before the documents are read."""
    life = small_life(RamStore(), tmp_path)
    with pytest.raises(StoreUnavailable):
        ingest.ingest(life.indexer(vault=Vault(Away(), "阿月", "Asia/Shanghai")))
    assert life.recall("桂花", exact=True).windows


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=900))
def test_any_text_is_given_back_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """The kept text and the message in the segment are the document's, character for character."""
    life = Life(RamStore(), tmp_path_factory.mktemp("life"), by_hand=True)
    Desk(life.store).write(DIARY, text)
    life.ingest()
    (name,) = manifest_of(life.store).vault.values()
    assert get_text(life.store, "main", name.sha256) == text
    assert [said[2] for said in indexed(life.store, life)["saids"]] == [text]
    assert life.verify().problems == ()
