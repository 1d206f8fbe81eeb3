"""The manifest is read as it was written, follows its rules at each step, and costs one conditional look."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.errors import Damaged, VersionMismatch
from paramecium.index.manifest import (
    Coverage,
    Fulltext,
    Manifest,
    ManifestCache,
    ObjectName,
    Retired,
    SegmentName,
    Standing,
    broken,
    manifest_from,
    manifest_to,
    read_manifest,
    replace_manifest,
    retiring,
)
from paramecium.messages import Json, dump_json, load_json
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore

KEY = keys.manifest("main")
GOLDEN = Path(__file__).parents[1] / "formats" / "manifest" / "v1.json"
NOON = datetime(2026, 6, 12, 12, tzinfo=UTC)


def _file(key: str) -> ObjectName:
    return ObjectName(key, "ab" * 32, 4096)


def _segment(ulid: str, passages: int = 9) -> SegmentName:
    vectors, words = (_file(keys.segment("main", ulid, part)) for part in ("vectors", "words"))
    return SegmentName(ulid, vectors, words, passages, 5)


FULL = Manifest(
    generation=7,
    writer="archive_import/1",
    model="e5/1",
    passages_version=1,
    segments=(_segment("s1", 1200), _segment("s2")),
    fulltext=Fulltext(_file(keys.fulltext("main", "f1")), 900, ("s1",)),
    coverage=Coverage({"c1": 12, "x-春": 3}, "main/archive/arrivals/2026-06-12/115959000-c1-11"),
    retired=(Retired("derived/main/index/segments/s0.words", "2026-06-12T11:00:00+00:00"),),
)
NEXT = replace(FULL, generation=8)


def test_version_1_is_read_and_written() -> None:
    """The golden file is this manifest, in both directions, byte for byte."""
    assert manifest_from(load_json(GOLDEN.read_bytes()), KEY) == FULL
    assert dump_json(manifest_to(FULL)) + b"\n" == GOLDEN.read_bytes()


def test_the_first_manifest_is_empty() -> None:
    """Where nothing stands the manifest is empty, and the first one written is generation 1."""
    store = RamStore()
    before = read_manifest(store, keys.manifest("main"))
    assert before == Standing(Manifest(), None)
    after = replace_manifest(store, keys.manifest("main"), before, replace(FULL, retired=()), "test")
    assert (after.manifest.generation, after.manifest.writer) == (1, "test")
    assert read_manifest(store, keys.manifest("main")) == after


def test_one_of_two_writers_wins() -> None:
    """Who wrote over what is no longer there is told so, also when it was the first manifest of all."""
    store = RamStore()
    empty = read_manifest(store, keys.manifest("main"))
    first = replace_manifest(store, keys.manifest("main"), empty, Manifest(), "a")
    with pytest.raises(VersionMismatch):
        replace_manifest(store, keys.manifest("main"), empty, Manifest(), "b")
    second = replace_manifest(store, keys.manifest("main"), first, Manifest(), "b")
    with pytest.raises(VersionMismatch):
        replace_manifest(store, keys.manifest("main"), first, Manifest(), "a")
    assert read_manifest(store, keys.manifest("main")) == second


def test_a_manifest_that_keeps_the_rules_may_follow() -> None:
    """More segments, more coverage and nothing lost break no rule."""
    more = replace(
        NEXT, segments=(*NEXT.segments, _segment("s3", 0)), coverage=replace(NEXT.coverage, arrivals="main/b")
    )
    assert broken(FULL, NEXT) == broken(FULL, more) == broken(Manifest(), Manifest(generation=1)) == []


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        (FULL, "generation 7 does not follow 7"),
        (
            replace(NEXT, coverage=replace(FULL.coverage, conversations={"c1": 11, "x-春": 3})),
            "c1 would shrink from 12 to 11",
        ),
        (replace(NEXT, coverage=replace(FULL.coverage, conversations={"c1": 12})), "x-春 would shrink from 3 to 0"),
        (replace(NEXT, coverage=replace(FULL.coverage, arrivals="")), "arrivals would go back"),
        (replace(NEXT, segments=(*FULL.segments, _segment("s1", 1))), "s1 is named twice"),
        (replace(NEXT, segments=FULL.segments[:1]), "segments/s2.words is dropped and not retired"),
        (replace(NEXT, retired=(Retired(_segment("s1").words.key, NOON.isoformat()),)), "s1.words is live and retired"),
        (
            replace(NEXT, segments=(*FULL.segments, replace(_segment("s3"), messages=0))),
            "s3 has passages of no message",
        ),
        (replace(NEXT, segments=(*FULL.segments, replace(_segment("s3"), ulid="s4"))), "s4 names objects of another"),
        (replace(NEXT, fulltext=Fulltext(replace(_file("f"), sha256="AB"), 1)), "'f' has no sha256"),
        (replace(NEXT, fulltext=Fulltext(replace(_file("f"), bytes=0), 1)), "'f' has no sha256 or no bytes"),
    ],
)
def test_a_broken_rule_is_named_and_nothing_written(new: Manifest, sentence: str) -> None:
    """Each rule is told in a sentence; a manifest that breaks one (but the generation, which is set) is not written."""
    assert any(sentence in told for told in broken(FULL, new))
    if new is not FULL:
        store = RamStore()
        version = store.create(KEY, dump_json(manifest_to(FULL)))
        with pytest.raises(Damaged, match=KEY):
            replace_manifest(store, keys.manifest("main"), Standing(FULL, version), new, "test")
        assert read_manifest(store, keys.manifest("main")) == Standing(FULL, version)


def test_a_rebuilt_index_may_cover_less() -> None:
    """After a change of model or cutting, or when told so, coverage begins anew."""
    less = replace(NEXT, coverage=Coverage())
    assert broken(FULL, less)
    assert broken(FULL, less, rebuilt=True) == []
    assert broken(FULL, replace(less, model="e5/2")) == broken(FULL, replace(less, passages_version=2)) == []


def test_what_is_dropped_is_known_for_a_day() -> None:
    """Dropped objects are retired with the moment, and forgotten 24 hours later, no earlier."""
    new = retiring(FULL, replace(NEXT, segments=FULL.segments[:1], fulltext=None), NOON)
    dropped = [
        *(n.key for n in (_segment("s2").vectors, _segment("s2").words)),
        "derived/main/index/fulltext/f1.sqlite",
    ]
    assert [r.key for r in new.retired] == [FULL.retired[0].key, *dropped]
    assert broken(FULL, new) == []
    day = timedelta(hours=24)
    assert len(retiring(new, new, NOON + day - timedelta(seconds=1)).retired) == 3
    assert retiring(new, new, NOON + day).retired == ()


@pytest.mark.parametrize("field", sorted(manifest_to(FULL)))
@pytest.mark.parametrize("value", [None, -1, 2.5, "x", ["x"], {"x": 1}])
def test_a_damaged_manifest_is_named(field: str, value: object) -> None:
    """A field that is missing or of another kind raises Damaged with the key, unless the field may hold just that."""
    raw: Json = manifest_to(FULL)
    without = {k: v for k, v in raw.items() if k != field}
    with pytest.raises(Damaged, match=KEY):
        manifest_from(without, KEY)
    if (field, value) not in (("fulltext", None), ("writer", "x"), ("model", "x")):
        with pytest.raises(Damaged, match=KEY):
            manifest_from({**raw, field: value}, KEY)


@given(st.binary(max_size=80))
def test_bytes_that_are_no_manifest_are_damage(body: bytes) -> None:
    """Whatever stands under the manifest's key is refused by name, from the cache as well."""
    store = RamStore()
    store.create(KEY, body)
    with pytest.raises(Damaged, match=KEY):
        read_manifest(store, keys.manifest("main"))
    with pytest.raises(Damaged, match=KEY):
        ManifestCache(store, "main").standing()


def test_each_look_is_one_conditional_call() -> None:
    """An unchanged manifest is not read again, a changed one is; one that vanished is empty."""
    inner = RamStore()
    store = WatchedStore(inner)
    cache = ManifestCache(store, "main")
    assert cache.standing() == Standing(Manifest(), None)
    first = replace_manifest(
        inner, keys.manifest("main"), read_manifest(inner, keys.manifest("main")), Manifest(model="e5/1"), "a"
    )
    assert cache.standing() == first
    kept = cache.standing()
    assert kept is cache.standing()
    second = replace_manifest(inner, keys.manifest("main"), first, Manifest(model="e5/1"), "b")
    assert cache.standing() == second
    assert store.calls == [("get", KEY)] * 2 + [("get_if_changed", KEY)] * 3
    inner.delete(KEY)
    assert cache.standing() == Standing(Manifest(), None)
