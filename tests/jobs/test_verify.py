"""Verify: each kind of fault is found, in a life that a moment before was as it should be."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from paramecium.index.manifest import Manifest, SegmentName
from paramecium.index.said import Mark, Said
from paramecium.index.segment_write import store_segment, to_embed, write_segment
from paramecium.jobs import fts_build, proof, verify
from paramecium.jobs.rebuild import rebuild
from paramecium.messages import Entry, dump_json, load_json
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.jobs.lives import PNG, Life, manifest_of, messages, objects, put, small_life

MANIFEST = keys.manifest("main")


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Returns a life that is wholly indexed, and verified to be sound."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    report = life.verify()
    assert (report.entries, report.waiting, report.problems) == (31, 0, ())
    return life


def _segment(life: Life, saids: Sequence[Said], marks: Sequence[Mark]) -> SegmentName:
    vectors = life.embedder.passages(list(to_embed(saids)))
    made = write_segment(saids, marks, vectors, life.embedder.id, life.embedder.mean)
    return store_segment(life.store, "main", f"01jz{len(objects(life.store)):022d}", made)


def _rewritten(life: Life, change: Callable[[list[Said], list[Mark]], None]) -> None:
    """Puts a segment with other messages in the place of the one that serves, as a faulty program would."""
    indexer = life.indexer()
    standing = indexer.standing()
    segment = indexer.cache.open(standing.manifest.segments[0])
    saids, marks = [segment.said(m) for m in range(len(segment.n))], list(segment.marks)
    change(saids, marks)
    indexer.write(standing, replace(standing.manifest, segments=(_segment(life, saids, marks),)))


def _manifest(life: Life, change: Callable[[Manifest], Manifest]) -> None:
    indexer = life.indexer()
    standing = indexer.standing()
    indexer.write(standing, change(standing.manifest), rebuilt=True)


def _changed_text(saids: list[Said], _: list[Mark]) -> None:
    saids[3] = replace(saids[3], text=saids[3].text.replace("晚", "早") + "！")


def _changed_parent(saids: list[Said], _: list[Mark]) -> None:
    saids[3] = replace(saids[3], parent="banjia-0")


def _missing(saids: list[Said], _: list[Mark]) -> None:
    del saids[3]


def _stranger(saids: list[Said], _: list[Mark]) -> None:
    saids.append(replace(saids[0], n=77, id="nobody"))


def _other_conversation(saids: list[Said], _: list[Mark]) -> None:
    saids.append(replace(saids[0], conversation="nobody"))


def _lost_mark(_: list[Said], marks: list[Mark]) -> None:
    marks.pop()


def _other_mark(_: list[Said], marks: list[Mark]) -> None:
    marks.append(Mark("maobao", 99, "rename", "狗"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_changed_text, "banjia message 3 (banjia-3) is another in segment"),
        (_changed_parent, "banjia message 3 (banjia-3) is another in segment"),
        (_missing, "banjia message 3 (banjia-3) is covered and in no segment"),
        (_stranger, "banjia: messages in the segments that the archive does not have: 1"),
        (_other_conversation, "nobody is in the index and not in the archive"),
        (_lost_mark, "is covered and in no segment"),
        (_other_mark, "maobao: the archive has no rename 99 as the segments have it"),
    ],
)
def test_a_segment_that_says_something_else(
    life: Life, change: Callable[[list[Said], list[Mark]], None], sentence: str
) -> None:
    """A changed character or parent, a message or mark too few or too many: named, and mended by a rebuild."""
    _rewritten(life, change)
    assert any(sentence in problem for problem in life.verify().problems)
    rebuild(life.indexer())
    assert (life.verify().problems, life.verify().waiting) == ((), 0)


def test_a_message_in_two_segments(life: Life) -> None:
    """A doubled message is named."""
    segment = life.indexer().cache.open(manifest_of(life.store).segments[0])
    again = _segment(life, [segment.said(2)], [])
    _manifest(life, lambda m: replace(m, segments=(*m.segments, again)))
    assert life.verify().problems == ("banjia message 2 (banjia-2) is in the index 2 times",)


def _coverage(life: Life, **ends: int) -> None:
    _manifest(
        life, lambda m: replace(m, coverage=replace(m.coverage, conversations={**m.coverage.conversations, **ends}))
    )


def test_coverage_that_is_not_true(life: Life) -> None:
    """Coverage short of what a segment holds, beyond what was said, or of nobody is named."""
    _coverage(life, shishi=2, mianshi=40, nobody=3)
    problems = life.verify().problems
    assert any("shishi message 2" in p and "does not cover it" in p for p in problems)
    assert "mianshi: the index covers 40 entries where the archive has 9" in problems
    assert "nobody is in the index and not in the archive" in problems


def test_a_manifest_of_another_model_than_its_segments(life: Life) -> None:
    """A segment that is not of the manifest's model is named."""
    _manifest(life, lambda m: replace(m, model="other"))
    assert any("is of the model hash/1, the index of other" in p for p in life.verify().problems)


def test_a_full_text_that_lacks_a_message(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message the file claims to cover and does not hold is named, and so is a number that is not its own."""
    whole = fts_build._messages
    monkeypatch.setattr(fts_build, "_messages", lambda segments: list(whole(segments))[1:])
    _manifest(life, lambda m: replace(m, fulltext=None))
    life.fts()
    assert life.verify().problems == ("banjia message 0 (banjia-0) is not in the full text that covers it",)
    monkeypatch.setattr(fts_build, "_messages", lambda segments: [*whole(segments), ("nobody", 0, 1, "谁")])
    _manifest(life, lambda m: replace(m, fulltext=None))
    life.fts()
    assert life.verify().problems == ("nobody is in the index and not in the archive",)
    _manifest(life, lambda m: replace(m, fulltext=replace(m.fulltext, messages=5)))  # type: ignore[type-var]
    assert any("holds 32 messages, and the manifest says 5" in p for p in life.verify().problems)


def test_a_full_text_with_other_words(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """Now and then a message is looked for by its words, as a person would."""
    whole = fts_build._messages
    monkeypatch.setattr(fts_build, "_messages", lambda segments: [(c, n, d, "别的") for c, n, d, _ in whole(segments)])
    _manifest(life, lambda m: replace(m, fulltext=None))
    life.fts()
    assert [p for p in life.verify().problems if "not found in the full text by its words" in p]


def _edit(life: Life, key: str, change: Callable[[list[dict[str, object]]], object]) -> None:
    entries = load_json(life.store.get(key).body)
    change(entries)
    put(life.store, key, dump_json(entries))


def test_faults_of_the_archive(life: Life) -> None:
    """A link to nothing, an id twice, a head or image that is none or another, an arrival or block of nothing."""
    block = keys.block("main", "neu", 0)
    image = {"sha256": "0" * 64, "ext": "png"}
    chain = [
        *messages("neu", 3),
        Entry("neu-x", 0, role="user", text="图", head="kein", images=(image, {"ext": "png"})),
    ]
    life.archive.append("neu", chain, 0)
    arrival = keys.arrival("main", life.now(), "niemand", 7)
    life.store.create(arrival, b"")
    life.store.create(f"{keys.arrivals('main')}2026/nonsense", b"")
    life.store.create(f"{block}.orig", b"[]")
    head, png = (next(iter(objects(life.store, f"main/archive/{kind}/"))) for kind in ("heads", "images"))
    put(life.store, head, b"{}")
    put(life.store, png, PNG[:-1])
    _edit(life, block, lambda entries: entries[2].update(parent="neu-9", id="neu-0"))
    problems = life.verify().problems
    for named in (
        "neu: two entries have the id neu-0",
        "entry neu-0 follows neu-9, which does not stand before it",
        "not the sha256 of a head: 'kein'",
        "0" * 64,
        "an image that cannot be one of ours: None",
        f"{arrival} tells of a block that does not stand",
        "2026/nonsense",
        f"{block}.orig is not the name of a block",
        head,
        png,
    ):
        assert any(named in problem for problem in problems), named


def test_a_conversation_that_cannot_be_read_is_one_problem(life: Life) -> None:
    """Neither its arrivals nor what the index holds of it are told of besides."""
    key = keys.block("main", "maobao", 3)
    put(life.store, key, b"[{}]")
    report = life.verify()
    assert len(report.problems) == 1
    assert key in report.problems[0]
    assert report.entries == 21
    life.store.delete(key)
    report = life.verify()
    assert len(report.problems) == 2
    assert all("maobao" in problem for problem in report.problems)


def test_what_waits_is_a_number(life: Life) -> None:
    """Words not ingested, or ingested and not in the full text, wait; nothing is wrong with them."""
    life.say("shishi", *messages("neu", 2))
    assert (life.verify().entries, life.verify().waiting, life.verify().problems) == (33, 2, ())
    life.ingest()
    assert (life.verify().waiting, life.verify().problems) == (2, ())
    life.fts()
    assert (life.verify().waiting, life.verify().problems) == (0, ())


def test_passages_are_counted_and_their_cut_is_compared(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count is that of the segments; a message that is now cut otherwise is named."""
    assert life.verify().passages == sum(s.passages for s in manifest_of(life.store).segments)
    monkeypatch.setattr(proof, "passages", lambda text: ((0, len(text)),))
    assert [p for p in life.verify().problems if "is cut in another way" in p]


def test_problems_have_a_bound_and_each_is_said_once(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound they are counted."""
    for name in ("words", "vectors"):
        life.store.delete(getattr(manifest_of(life.store).segments[0], name).key)
    problems = life.verify().problems
    assert len(problems) == len(set(problems))
    _coverage(life, **{f"nobody-{i}": 1 for i in range(30)})
    count = len(life.verify().problems)
    monkeypatch.setattr(verify, "PROBLEMS_MAX", 10)
    assert len(life.verify().problems) == 11
    assert life.verify().problems[-1] == f"and {count - 10} more"


def test_the_form_the_command_prints(life: Life) -> None:
    """Four fields, and the archive unchanged by the reading."""
    before = objects(life.store)
    assert life.verify().to_json() == {"entries": 31, "passages": 34, "waiting": 0, "problems": []}
    assert objects(life.store) == before
