"""Files of the index that are cut, empty, of other dims or of strangers: made anew, and what is near is near again."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from paramecium.index.passages import passages
from paramecium.index.said import said_from
from paramecium.index.segment import Segment
from paramecium.index.segment_cache import SegmentCache
from paramecium.index.segment_write import dressed
from paramecium.index.vectors import search
from paramecium.messages import dump_json, load_json
from paramecium.recall.semantic import life_mean
from paramecium.store import keys
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.jobs.lives import Life, OtherEmbedder, copied, manifest_of, objects, put, small_life

QUERIES = ("桂花开了", "去打疫苗", "有点紧张", "搬家", "豆包")
TOP = 5


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Gives a life that is wholly indexed; only copies of it are damaged."""
    life = small_life(RamStore(), tmp_path_factory.mktemp("sound"))
    life.fts()
    return life


@pytest.fixture(scope="module")
def strange(sound: Life, tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Gives the same words indexed with a model of other dims."""
    life = Life(copied(sound.store), tmp_path_factory.mktemp("strange"), embedder=OtherEmbedder())
    for key in objects(life.store, "derived/"):
        life.store.delete(key)
    life.fts()
    return life


Damage = Callable[[bytes, bytes], bytes]
DAMAGES: dict[str, Damage] = {
    "empty": lambda body, other: b"",
    "one byte": lambda body, other: body[:1],
    "half": lambda body, other: body[: len(body) // 2],
    "one byte short": lambda body, other: body[:-1],
    "longer": lambda body, other: body + b"\0",
    "zeros": lambda body, other: b"\0" * len(body),
    "vectors of other dims": lambda body, other: other,
    "text": lambda body, other: "这不是索引".encode() * 99,
}


def parts(life: Life) -> list[str]:
    """Returns the keys of the first segment's vectors and words, and of the full text."""
    manifest = manifest_of(life.store)
    assert manifest.fulltext is not None
    segment = manifest.segments[0]
    return [segment.vectors.key, segment.words.key, manifest.fulltext.file.key]


def segments(life: Life) -> list[Segment]:
    """Returns the segments that serve, loaded anew."""
    cache = SegmentCache(life.store, life.folder / "looked at")
    return [cache.open(name) for name in manifest_of(life.store).segments]


def top_by_index(life: Life, query: str) -> list[tuple[str, float]]:
    """Returns the nearest passages as the index has them."""
    loaded = segments(life)
    centred = life.embedder.query(query) - life_mean(loaded)
    near: list[tuple[str, float]] = []
    for segment in loaded:
        positions, scores = search(segment.rows, centred, TOP)
        for position, score in zip(positions.tolist(), scores.tolist(), strict=True):
            text = segment.text(int(segment.message[position]))
            near.append((text[segment.start[position] : segment.end[position]], score))
    return sorted(near, key=lambda p: -p[1])[:TOP]


def top_by_force(life: Life, query: str) -> tuple[list[str], NDArray[np.float64]]:
    """Returns every passage of the archive and how near it is, by floating point alone."""
    texts, words = [], []
    for conversation, _ in life.archive.heads():
        for entry in life.archive.read(conversation):
            said = said_from(conversation, entry)
            if said is not None:
                for start, end in passages(said.text):
                    texts.append(said.text[start:end])
                    words.append(dressed(said, start, end))
    raw = life.embedder.passages(words).astype(np.float64)
    mean = raw.sum(0) / (len(raw) + 200)
    centred, asked = raw, life.embedder.query(query) - mean
    lengths = np.linalg.norm(centred, axis=1) * np.linalg.norm(asked)
    return texts, centred @ asked / lengths


def assert_true_to_the_archive(life: Life) -> None:
    """Asserts that the nearest passages are those that brute force over the archive finds, within a row's rounding."""
    for query in QUERIES:
        texts, scores = top_by_force(life, query)
        best = np.sort(scores)[::-1][:TOP]
        found = top_by_index(life, query)
        assert len(found) == TOP
        assert np.allclose([s for _, s in found], best, atol=0.02), query
        nearest = dict(zip(texts, scores.tolist(), strict=True))
        assert all(abs(nearest[text] - score) < 0.02 for text, score in found)


def test_the_sound_index_is_true(sound: Life) -> None:
    """Before any damage, index and brute force agree."""
    assert_true_to_the_archive(sound)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("part", range(3), ids=["vectors", "words", "full text"])
def test_a_damaged_file_on_disk_is_made_anew(
    part: int, damage: str, sound: Life, strange: Life, tmp_path: Path
) -> None:
    """Each damage to each file, on a disk: recall goes on, one run mends it, and the same is near (D10 137-143)."""
    disk = tmp_path / "data"
    disk.mkdir()
    life = Life(LocalStore(disk), tmp_path / "cache", sound.now)
    for key, body in objects(sound.store).items():
        life.store.create(key, body)
    whole = {q: [w.text for w in life.recall(q).windows] for q in QUERIES}
    key = parts(life)[part]
    other = strange.store.get(parts(strange)[0]).body
    put(life.store, key, DAMAGES[damage](life.store.get(key).body, other))
    assert any(key in problem for problem in life.verify().problems)
    for query in QUERIES:
        life.recall(query)
        life.recall(query, exact=True)
    life.ingest()
    life.fts()
    assert life.verify().problems == ()
    assert_true_to_the_archive(life)
    assert {q: [w.text for w in life.recall(q).windows] for q in QUERIES} == whole


@pytest.mark.parametrize("way", ["replaced", "mixed"])
def test_a_sound_segment_of_another_model_is_left_out_and_made_anew(
    way: str, sound: Life, strange: Life, tmp_path: Path
) -> None:
    """A manifest that names a stranger's segment, hash and all: poorer at most, never a crash, then whole again."""
    life = Life(copied(sound.store), tmp_path, sound.now)
    whole = {q: [w.text for w in life.recall(q).windows] for q in QUERIES}
    own, other = (load_json(one.store.get(keys.manifest("main")).body) for one in (life, strange))
    for key in parts(strange)[:2]:
        life.store.create(key, strange.store.get(key).body)
    named = other["segments"] if way == "replaced" else [*own["segments"], *other["segments"]]
    put(life.store, keys.manifest("main"), dump_json(own | {"segments": named}))
    for query in QUERIES:
        found = life.recall(query)
        assert found.damaged
        assert {w.text for w in found.windows} <= set(whole[query])
    assert life.verify().problems
    life.ingest()
    life.fts()
    assert (life.verify().problems, life.verify().waiting) == ((), 0)
    assert_true_to_the_archive(life)
    assert {q: [w.text for w in life.recall(q).windows] for q in QUERIES} == whole
