"""The death of each job at every store call, before and after it has had its effect."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from paramecium.index import compaction
from paramecium.jobs import fts_build, ingest, rebuild
from paramecium.jobs.verify import VerifyReport
from paramecium.messages import Json
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder, Killed, WatchedStore
from tests.jobs.import_files import bring, said, talk, write
from tests.jobs.lives import WORDS, Life, OtherEmbedder, copied, indexed, objects, small_life

Run = Callable[[Life, ObjectStore], object]


@dataclass(frozen=True)
class Case:
    """Is a job, and what was done to the life before it."""

    job: Run
    before: tuple[Run, ...] = ()
    empty: bool = False
    earlier_model: type[HashEmbedder] = HashEmbedder


def _ingest(life: Life, store: ObjectStore) -> object:
    return ingest.ingest(life.indexer(store))


def _fts(life: Life, store: ObjectStore) -> object:
    return fts_build.build(life.indexer(store))


def _rebuild(life: Life, store: ObjectStore) -> object:
    return rebuild.rebuild(life.indexer(store))


def _chain(life: Life, store: ObjectStore) -> object:
    file = life.folder / "file"
    if not file.exists():
        branch = said("换个说法", id="b", parent="1", role="user")
        named = [said(WORDS[i], "assistant" if i % 2 else "user", id=str(i)) for i in range(8)]
        plain = [said(f"{WORDS[i % 8]}{i}", "assistant" if i % 2 else "user") for i in range(20)]
        write(file, talk("猫", *named, branch, title="豆包"), talk("搬家", *plain))
    return bring(store, file), _ingest(life, store), _fts(life, store)


CASES = {
    "ingest": Case(_ingest),
    "fts": Case(_fts, (_ingest,)),
    "rebuild": Case(_rebuild, (_ingest, _fts)),
    "renewal": Case(_ingest, (_ingest, _fts), earlier_model=OtherEmbedder),
    "import, ingest, fts": Case(_chain, empty=True),
}


def _begun(case: Case, folder: Path) -> Life:
    life = Life(RamStore(), folder) if case.empty else small_life(RamStore(), folder)
    life.embedder = case.earlier_model()
    for run in case.before:
        run(life, life.store)
    life.embedder = HashEmbedder()
    return life


def _state(life: Life) -> tuple[Json, dict[str, bytes], VerifyReport]:
    return indexed(life.store, life), objects(life.store, "main/"), life.verify()


def _all_deaths(case: Case, folder: Path) -> int:
    """Dies everywhere, and returns how often; each time what stands is sound, and one more run makes it whole."""
    begun = _begun(case, folder)
    whole = Life(copied(begun.store), folder, begun.now)
    counted = WatchedStore(whole.store)
    case.job(whole, counted)
    expected = _state(whole)
    assert expected[2].problems == ()
    for die_at in range(1, len(counted.calls) + 1):
        for after in (False, True):
            life = Life(copied(begun.store), folder, begun.now)
            with pytest.raises(Killed):
                case.job(life, WatchedStore(life.store, die_at=die_at, after=after))
            assert life.verify().problems == (), counted.calls[die_at - 1]
            case.job(life, life.store)
            assert _state(life) == expected, counted.calls[die_at - 1]
    return 2 * len(counted.calls)


@pytest.mark.parametrize("name", CASES)
def test_a_job_that_died_anywhere_is_finished_by_its_next_run(name: str, tmp_path: Path) -> None:
    """Nothing is damaged by the death, and after one more run index and archive are as if there had been none."""
    assert _all_deaths(CASES[name], tmp_path) >= 20


@pytest.mark.parametrize("name", ["ingest", "renewal"])
def test_the_same_in_many_small_steps_with_compaction(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With batches of eight passages, segments of ten and at most three of them, deaths fall between commits, too."""
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 8)
    monkeypatch.setattr(compaction, "GROWN_PASSAGES_MAX", 10)
    monkeypatch.setattr(compaction, "LIVE_MAX", 3)
    assert _all_deaths(CASES[name], tmp_path) >= 60


def test_a_renewal_that_dies_after_every_commit_still_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred short lives of the process, each dying a little later, come to the end by themselves."""
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 8)
    life = _begun(CASES["renewal"], tmp_path)
    before = objects(life.store, "main/")
    ends = 0
    for die_at in range(8, 108):
        try:
            _ingest(life, WatchedStore(life.store, die_at=die_at))
        except Killed:
            continue
        ends += 1
        break
    assert ends == 1
    assert life.verify().problems == ()
    assert indexed(life.store, life)["model"] == HashEmbedder.id
    assert objects(life.store, "main/") == before
