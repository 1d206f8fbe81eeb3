"""Bytes that are not what they were: found, never served, and made anew from the archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paramecium.errors import ConversationMissing, ParameciumError
from paramecium.jobs import renewal
from paramecium.jobs.ingest import reconcile
from paramecium.jobs.rebuild import rebuild
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.jobs.lives import Life, copied, manifest_of, objects, put, small_life

MANIFEST, NEXT = keys.manifest("main"), keys.next_manifest("main")
QUERIES = ("桂花", "豆包去打疫苗", "有点紧张")
KINDS = ("vectors", "words", "full text", "manifest.json", "next.json")
FLIPS, CUTS = 12, 5


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Returns a life that is wholly indexed; only copies of it are damaged."""
    life = small_life(RamStore(), tmp_path_factory.mktemp("damage"))
    life.fts()
    assert life.verify().problems == ()
    return life


def _key(life: Life, kind: str) -> str:
    manifest = manifest_of(life.store)
    segment = manifest.segments[0]
    assert manifest.fulltext is not None
    found = (segment.vectors.key, segment.words.key, manifest.fulltext.file.key, MANIFEST, NEXT)
    return dict(zip(KINDS, found, strict=True))[kind]


def _begun(sound: Life, kind: str) -> Life:
    life = Life(copied(sound.store), sound.folder, sound.now)
    if kind == "next.json":
        reconcile(renewal.beside(life.indexer()))
    return life


def _answers(life: Life) -> list[tuple[str, ...]]:
    return [tuple(w.text for w in life.recall(q, exact=exact).windows) for q in QUERIES for exact in (False, True)]


def _recall_is_true(life: Life, kind: str) -> None:
    """What is found is what was said; without its manifest, or words it knew of, recall may say that it cannot."""
    said = {(c, e.n): e.text for c, _ in life.archive.heads() for e in life.archive.read(c)}
    told = ParameciumError if kind == "manifest.json" else ConversationMissing
    for query in QUERIES:
        for exact in (False, True):
            try:
                found = life.recall(query, exact=exact)
            except told:
                continue
            for piece in (piece for window in found.windows for piece in window.pieces):
                assert said[piece.said.conversation, piece.said.n] == piece.said.text


def _damaged(life: Life, kind: str, body: bytes | None, whole: list[tuple[str, ...]]) -> bool:
    """Puts the bytes in place, sees that they are found and mended; returns whether they were found.

    In a manifest some bytes decide nothing (who wrote it, which generation it is): then all must be as before.
    """
    key = _key(life, kind)
    life.store.delete(key)
    if body is not None:
        life.store.create(key, body)
    _recall_is_true(life, kind)
    problems = life.verify().problems
    if not problems:
        assert kind in ("manifest.json", "next.json")
        assert body is None or _answers(life) == whole
    if kind not in ("manifest.json", "next.json"):
        assert any(key in problem for problem in problems)
    life.ingest()
    life.fts()
    if life.verify().problems:
        assert kind == "manifest.json"
        rebuild(life.indexer())
        life.now.forward(minutes=1)
    assert life.verify().problems == ()
    assert life.verify().waiting == 0
    assert _answers(life) == whole
    return bool(problems)


def _flipped(body: bytes) -> Iterator[bytes]:
    for i in range(FLIPS):
        at = (2 * i + 1) * len(body) // (2 * FLIPS)
        yield body[:at] + bytes([body[at] ^ 1 << i % 8]) + body[at + 1 :]


def _cut(body: bytes) -> Iterator[bytes]:
    for i in range(CUTS):
        yield body[: i * (len(body) - 1) // (CUTS - 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_flipped_bits_are_found_and_made_anew(kind: str, sound: Life) -> None:
    """Twelve bits over the whole object: each is found, no recall is wrong, one more run makes all as it was."""
    whole = _answers(sound)
    assert all(whole)
    body = _begun(sound, kind)
    flipped = list(_flipped(body.store.get(_key(body, kind)).body))
    found = [_damaged(_begun(sound, kind), kind, bad, whole) for bad in flipped]
    assert len(found) == FLIPS
    assert sum(found) >= (FLIPS if kind in ("vectors", "words", "full text") else FLIPS // 2)


@pytest.mark.parametrize("kind", KINDS)
def test_cut_objects_are_found_and_made_anew(kind: str, sound: Life) -> None:
    """From empty to one byte short: each is found, whatever it is."""
    whole = _answers(sound)
    body = _begun(sound, kind)
    cuts = list(_cut(body.store.get(_key(body, kind)).body))
    assert [_damaged(_begun(sound, kind), kind, bad, whole) for bad in cuts] == [True] * CUTS


@pytest.mark.parametrize("kind", KINDS)
def test_missing_objects_are_made_anew(kind: str, sound: Life) -> None:
    """A part that is gone is found; without a manifest all waits, which is no problem."""
    missing = _damaged(_begun(sound, kind), kind, None, _answers(sound))
    assert missing == (kind in ("vectors", "words", "full text"))


def test_objects_of_strangers_are_made_anew(sound: Life) -> None:
    """A file of another kind, or of another life, in the place of each part."""
    whole = _answers(sound)
    for kind in ("vectors", "words", "full text"):
        for other in ("vectors", "words", "full text", "manifest.json"):
            if other != kind:
                assert _damaged(_begun(sound, kind), kind, sound.store.get(_key(sound, other)).body, whole)
    assert _damaged(_begun(sound, "manifest.json"), "manifest.json", b'{"v":2}', whole)
    assert _damaged(_begun(sound, "manifest.json"), "manifest.json", b"[" * 100_000, whole)


def test_a_cursor_at_no_moment_is_damage(sound: Life) -> None:
    """A manifest that can be read, but for the arrival it ends at, is found and made anew like one that cannot."""
    body = sound.store.get(MANIFEST).body
    bad = body.replace(b'"arrivals":"main/archive/arrivals/2026-06-12', b'"arrivals":"main/archive/arrivals/2026-96-12')
    assert bad != body
    assert _damaged(_begun(sound, "manifest.json"), "manifest.json", bad, _answers(sound))


def test_several_parts_at_once(tmp_path: Path, sound: Life) -> None:
    """All index objects damaged at once are one run's work, too, and the archive is not touched."""
    life = _begun(sound, "next.json")
    archive = objects(life.store, "main/")
    for key, body in objects(life.store, "derived/").items():
        put(life.store, key, body[: len(body) // 2])
    assert len(life.verify().problems) >= 2
    life.ingest()
    life.fts()
    assert (life.verify().problems, life.verify().waiting) == ((), 0)
    assert objects(life.store, "main/") == archive
    assert _answers(life) == _answers(sound)
