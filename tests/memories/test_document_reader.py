"""The documents of a life, read and read again: what is bad is named, and nothing that was read is lost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from paramecium.errors import StoreUnavailable
from paramecium.memories.document_reader import DOCUMENTS_MAX, DocumentReader
from paramecium.memories.documents import Documents
from paramecium.store.base import Blob, ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.memories.fakes_documents import BAD, FILES, House, persona

PERSONA = "main/profile/persona.md"


def test_every_document_is_read_in_its_place() -> None:
    """Each kind has its documents by path, of Markdown and plain text alone, subfolders included."""
    found = House(FILES).reader.read()
    assert [d and d.text for d in (found.persona, found.user, found.relationship)] == [
        "你是小草。\n",
        "阿南。\n",
        "朋友。",
    ]
    assert [(d.path, d.text) for d in found.facts] == [("facts/家/猫.txt", "猫叫砚台。"), ("facts/茶.md", "白茶。\n")]
    assert [(d.date, d.text) for d in (*found.diary, *found.memos)] == [
        ("2026-06-11", "下雨。"),
        ("2026-06-10", "买米。"),
    ]
    assert found.bad == ()


def test_a_life_without_documents_costs_four_lists() -> None:
    """Nothing is written, nothing is read but the four folders."""
    house = House()
    assert [house.reader.read(), house.reader.read()] == [Documents()] * 2
    assert house.calls() == ["list"] * 8


def test_a_warm_reader_asks_only_what_has_changed() -> None:
    """The second look is a LIST a kind and a conditional GET a file; a changed, new or removed file is seen."""
    house = House(FILES)
    first = house.reader.read()
    assert house.calls() == ["get"] * 7 + ["list"] * 4
    assert house.reader.read() == first
    assert house.calls() == ["get_if_changed"] * 7 + ["list"] * 4
    house.write("profile/persona.md", "你是小花。")
    house.write("memos/二.md", "二")
    house.ram.delete("main/facts/茶.md")
    found = house.reader.read()
    assert (persona(found), len(found.memos), len(found.facts)) == ("你是小花。", 2, 1)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["profile/persona.md", "facts/茶.md", "diary/2026-06-11 雨.md"])
def test_the_last_good_text_of_a_bad_file_is_used(name: str, bad: str | bytes) -> None:
    """It is named once a change, its old text stays, and the file is read again when it is good again."""
    house = House(FILES)
    before = house.reader.read()
    house.write(name, bad)
    for _ in range(3):
        now = house.reader.read()
        assert (now.persona, now.vault) == (before.persona, before.vault)
        assert now.bad == (house.told[0],)
    assert len(house.told) == 1
    assert house.told[0].startswith(name)
    assert "last good text is used" in house.told[0]
    house.write(name, "好了")
    assert house.reader.read().bad == ()
    house.write(name, bad)
    house.reader.read()
    assert len(house.told) == 2


def test_the_store_may_be_away_once_something_was_read() -> None:
    """The last documents are given, told once an outage; a reader that never read anything says so."""
    house = House(FILES)
    house.store.away = True
    with pytest.raises(StoreUnavailable):
        house.reader.read()
    house.store.away = False
    before = house.reader.read()
    for _ in range(2):
        house.store.away = True
        assert [house.reader.read() for _ in range(3)] == [before] * 3
        house.store.away = False
        assert house.reader.read() == before
    assert len(house.told) == 2


def test_a_turn_leaves_out_what_its_name_says_is_older() -> None:
    """Old diary entries are neither read nor given; what has no day in its name is."""
    names = ("2026-06-09", "2026-06-10", "无日期")
    house = House({f"{kind}/{name}.md": name for kind in ("diary", "memos", "facts") for name in names})
    found = house.reader.read("2026-06-10")
    assert [len(d) for d in (found.facts, found.diary, found.memos)] == [3, 2, 2]
    assert not any(key.startswith(("main/diary/2026-06-09", "main/memos/2026-06-09")) for _, key in house.store.calls)
    assert len(house.reader.read().diary) == 3


def test_other_files_in_the_profile_are_named() -> None:
    """A name that is none of the three is told once and read never."""
    house = House({"profile/personas.md": "错", "profile/old/persona.md": "错", "profile/user.md": "对"})
    found = [house.reader.read() for _ in range(2)][-1]
    assert [found.persona, found.user and found.user.text] == [None, "对"]
    assert len(found.bad) == len(house.told) == 2
    assert house.told[0].startswith("profile/old/persona.md")


def test_of_too_many_the_last_by_name_are_read() -> None:
    """500 a kind are read at most, and it is told."""
    house = House({f"diary/{i:04d}.md": str(i) for i in range(DOCUMENTS_MAX + 3)})
    found = house.reader.read()
    assert (len(found.diary), found.diary[0].text) == (DOCUMENTS_MAX, "3")
    assert found.bad == (house.told[0],)
    assert "diary/ holds 503" in house.told[0]


def test_a_file_that_vanishes_while_it_is_read_is_gone() -> None:
    """Listed and then removed by somebody, it is passed over."""

    class Vanishing(WatchedStore):
        def get(self, key: str) -> Blob:
            self.inner.delete(key)
            return super().get(key)

    house = House(FILES)
    assert DocumentReader(Vanishing(house.ram), "main").read() == Documents()


def test_threads_may_share_a_reader() -> None:
    """Eight threads that read while a file changes see one of its texts each, and no failure."""
    house = House(FILES)
    house.reader.read()

    def read(i: int) -> str:
        if i % 10 == 0:
            house.store.inner = swapped(house.ram, f"第{i}版")
        return persona(house.reader.read())

    with ThreadPoolExecutor(8) as pool:
        texts = set(pool.map(read, range(60)))
    assert texts <= {"你是小草。\n", *(f"第{i}版" for i in range(0, 60, 10))}


def swapped(store: RamStore, text: str) -> ObjectStore:
    """Returns the store, its persona replaced."""
    store.replace(PERSONA, text.encode(), store.get(PERSONA).version)
    return store
