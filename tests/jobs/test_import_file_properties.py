"""Importing any tree of messages: kept once and right, twice is once, a beginning and then the whole is the whole."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paramecium.archive.names import conversation_id
from paramecium.messages import Json, dump_json, load_json, path
from paramecium.store.ram import RamStore
from tests.jobs.import_files import archive_of, bring, messages, objects, talk, walked, write

# A busy machine is no failure: examples are counted, not timed.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXTS = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["嗯", "豆包\u2028", "\ud83d", "a\0b", "\r\n", "🐱", ""]
)
DATES = st.none() | st.sampled_from(["2024-05-01T10:00:00Z", "2024-05-01", 1714528800, "昨天"])


@st.composite
def trees(draw: st.DrawFn, *, named: bool | None = None) -> list[Json]:
    """Draws messages, with ids and parents among those before, or a plain chain without ids."""
    named = draw(st.booleans()) if named is None else named
    found: list[dict[str, Any]] = []
    for i in range(draw(st.integers(1, 8))):
        role = draw(st.sampled_from(["user", "assistant", "system"]))
        message = {"role": role, "content": draw(TEXTS), "at": draw(DATES), "speaker": ""}
        if named:
            message["id"] = f"m{i}"
            if i and draw(st.booleans()):
                message["parent"] = f"m{draw(st.integers(0, i - 1))}"
        found.append(message)
    return found


def _bring(store: RamStore, *lines: Json) -> None:
    with TemporaryDirectory() as folder:
        report = bring(store, write(Path(folder) / "f", *lines))
    assert report.refused == ()


@CALM
@given(trees())
def test_every_message_stands_once_on_the_right_parent(tree: list[Json]) -> None:
    """Texts, roles and parents in the archive are those of the file, in its order, and the path ends where it ends."""
    store = RamStore()
    _bring(store, talk("树", *tree))
    entries = messages(store, "树")
    position = {e.id: i for i, e in enumerate(entries)}
    expected = [load_json(dump_json(m["content"])) for m in tree]
    assert [(e.role, e.text) for e in entries] == [(m["role"], t) for m, t in zip(tree, expected, strict=True)]
    for i, (entry, message) in enumerate(zip(entries, tree, strict=True)):
        before = int(message["parent"][1:]) if "parent" in message else i - 1
        assert (position[entry.parent] if entry.parent else -1) == before
    assert path(archive_of(store).read(conversation_id("树")))[-1] == entries[-1]


@CALM
@given(trees(), st.text(max_size=4))
def test_importing_twice_is_importing_once(tree: list[Json], title: str) -> None:
    """The second run of a file changes no byte of the archive."""
    store = RamStore()
    _bring(store, talk("树", *tree, title=title))
    before = objects(store)
    _bring(store, talk("树", *tree, title=title))
    assert objects(store) == before


@CALM
@given(trees(), st.data())
def test_a_beginning_and_then_the_whole_is_the_whole(tree: list[Json], data: st.DataObject) -> None:
    """Ids, parents, texts and path do not tell in how many files a conversation came."""
    in_two, at_once = RamStore(), RamStore()
    _bring(in_two, talk("树", *tree[: data.draw(st.integers(1, len(tree)))], title="早"))
    _bring(in_two, talk("树", *tree, title="晚"))
    _bring(at_once, talk("树", *tree, title="晚"))
    told = [[(e.id, e.parent, e.text, e.at) for e in messages(s, "树")] for s in (in_two, at_once)]
    assert told[0] == told[1]
    assert walked(in_two, "树") == walked(at_once, "树")


@CALM
@given(trees(named=True), st.data())
def test_whatever_two_files_say_nothing_is_lost_or_doubled(tree: list[Json], data: st.DataObject) -> None:
    """After an edited, reordered or shortened file all words of both stand once, and the path ends as the last file."""
    edited = [m | ({"content": data.draw(TEXTS)} if data.draw(st.booleans()) else {}) for m in tree]
    kept = edited[: data.draw(st.integers(1, len(edited)))]
    store = RamStore()
    _bring(store, talk("树", *tree))
    _bring(store, talk("树", *kept))
    both = [(m["id"], load_json(dump_json(m["content"]))) for m in (*tree, *kept)]
    assert sorted((e.source["id"], e.text) for e in messages(store, "树")) == sorted(set(both))
    last = both[-1]
    end = path(archive_of(store).read(conversation_id("树")))[-1]
    assert (end.source["id"], end.text) == last
    before = objects(store)
    _bring(store, talk("树", *kept))
    assert objects(store) == before
