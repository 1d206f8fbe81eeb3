"""The index of a made-up life of 300,000 passages, built once by the product's own jobs and kept.

Two stores in one folder: `life`, with segments as compaction leaves them and a full text, and `whole`, the same
passages merged into one segment. Invariant: what is kept is used only while model, formats and recipe are the same.
"""

import shutil
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from evals import report
from evals.bench import synthetic
from evals.bench.measure import Bench
from paramecium.index.fulltext import FORMAT
from paramecium.index.manifest import Manifest, Standing, read_manifest, replace_manifest
from paramecium.index.passages import VERSION
from paramecium.index.segment_merge import merge
from paramecium.index.segment_write import store_segment
from paramecium.jobs.indexer import Batch, Indexer
from paramecium.messages import Json, dump_json
from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.store.local import LocalStore
from paramecium.wiring import Parts

LIFE: Final = "main"
RECIPE: Final = 1
_ULID = "0" * 26


def now() -> datetime:
    """Returns the moment the life is looked at: its last, whenever the bench runs."""
    return synthetic.END


def parts(folder: Path, *, synthetic_model: bool = False) -> Parts:
    """Returns the parts over a long life; with the real model unless it is to be written."""
    embedder = synthetic.embedder() if synthetic_model else None
    return Parts(Settings(), LocalStore(folder / "life"), embedder=embedder, cache_folder=folder / "cache", now=now)


def standing(folder: Path, store: str = "life") -> Manifest:
    """Returns the manifest of `life` or `whole`."""
    return read_manifest(LocalStore(folder / store), keys.manifest(LIFE)).manifest


def built(bench: Bench) -> Path:
    """Returns the folder of the life, built when it is not there or was made in another way."""
    folder = bench.folder / f"life-{bench.sizes.passages}"
    made = folder / "made.json"
    recipe = dump_json(_recipe(bench))
    if not made.exists() or made.read_bytes() != recipe:
        shutil.rmtree(folder, ignore_errors=True)
        _build(bench, folder)
        made.write_bytes(recipe)
    elif standing(folder).fulltext is None:
        parts(folder, synthetic_model=True).of(LIFE).build_fulltext(bench.bar("full text"))
    return folder


def without_fulltext(folder: Path) -> None:
    """Takes the full text away, so that it can be built again."""
    indexer = parts(folder, synthetic_model=True).of(LIFE).indexer()
    before = indexer.standing()
    indexer.write(before, replace(before.manifest, fulltext=None))
    _clear(indexer)


def _recipe(bench: Bench) -> Json:
    made = {"recipe": RECIPE, "seed": synthetic.SEED, "passages": bench.sizes.passages, "batch": bench.sizes.batch}
    return {**made, "model": synthetic.embedder().id, "cut": VERSION, "fulltext": FORMAT}


def _build(bench: Bench, folder: Path) -> None:
    life = parts(folder, synthetic_model=True).of(LIFE)
    indexer = life.indexer()
    _ingest(indexer, bench, bench.bar(f"a life of {bench.sizes.passages:,} passages"))
    life.build_fulltext(bench.bar("full text"))
    _clear(indexer)
    _merge(indexer, LocalStore(folder / "whole"))


def _ingest(indexer: Indexer, bench: Bench, progress: report.Progress) -> None:
    standing, done = indexer.standing(), 0
    for saids in synthetic.saids(bench.sizes.passages, bench.sizes.batch):
        begins = dict.fromkeys((said.conversation for said in saids), 0)
        ends = {said.conversation: said.n + 1 for said in saids}
        arrival = keys.arrival(LIFE, now(), saids[-1].conversation, 0)
        vectors = indexer.embedder.passages([said.text for said in saids])
        standing = indexer.commit(standing, Batch(tuple(saids), (), begins, ends, arrival), vectors)
        done += len(saids)
        progress(done, bench.sizes.passages)


def _merge(indexer: Indexer, store: LocalStore) -> None:
    manifest = indexer.standing().manifest
    name = store_segment(store, LIFE, _ULID, merge([indexer.cache.open(s) for s in manifest.segments]))
    new = replace(manifest, segments=(name,), fulltext=None, retired=())
    replace_manifest(store, keys.manifest(LIFE), Standing(Manifest(), None), new, indexer.writer)


def _clear(indexer: Indexer) -> None:
    """Nobody else reads this index, so what the manifest no longer names may go at once."""
    live = {indexer.key, *(name.key for name in indexer.standing().manifest.objects())}
    for key in list(indexer.store.list(keys.index_objects(LIFE))):
        if key not in live:
            indexer.store.delete(key)
