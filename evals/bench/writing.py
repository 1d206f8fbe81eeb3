"""How fast words come in: import, ingest without the model's time, and the nightly full text."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from evals.bench import long_life, synthetic
from evals.bench.measure import Bench, seconds
from evals.bench.rows import Row, rate, taken_ms
from paramecium.index.said import Said
from paramecium.messages import dump_json
from paramecium.settings import Settings
from paramecium.store.local import LocalStore
from paramecium.wiring import Parts

LIFE: Final = "main"


def rows(bench: Bench) -> Iterator[Row]:
    """Yields import and ingest of 10,000 messages, and the full text of 300,000."""
    count = bench.sizes.messages
    bench.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="writing-", dir=bench.folder) as name:
        folder = Path(name)
        file = _file(folder / "life.jsonl", count)
        parts = Parts(
            Settings(), LocalStore(folder / "data"), embedder=synthetic.embedder(), cache_folder=folder / "cache"
        )
        life = parts.of(LIFE)
        took = seconds(lambda _: life.import_file(file, bench.bar("import")), 1, bench.bar("writing"))
        yield rate("ingest: import into the archive", "messages/s", count, took, note=f"{count:,} messages, once")
        took = seconds(lambda _: life.ingest(bench.bar("ingest")), 1, bench.bar("writing"))
        yield rate("ingest: archive to index, without the model", "messages/s", count, took, note="vectors of chance")
    yield _fulltext(bench)


def _fulltext(bench: Bench) -> Row:
    folder = long_life.built(bench)
    long_life.without_fulltext(folder)
    life = long_life.parts(folder, synthetic_model=True).of(LIFE)
    took = seconds(lambda _: life.build_fulltext(bench.bar("full text")), 1, bench.bar("writing"))
    named = long_life.standing(folder).fulltext
    size = named.file.bytes / 1e6 if named else 0
    return taken_ms(
        f"ingest: full text of {bench.sizes.passages:,} messages", took, note=f"once; file of {size:.0f} MB"
    )


def _file(path: Path, count: int) -> Path:
    """Writes a life as a file to import, a conversation a line."""
    talks: dict[str, list[Said]] = {}
    for some in synthetic.saids(count, count):
        for said in some:
            talks.setdefault(said.conversation, []).append(said)
    lines = (dump_json({"id": talk, "messages": [_message(said) for said in saids]}) for talk, saids in talks.items())
    path.write_bytes(b"\n".join(lines))
    return path


def _message(said: Said) -> dict[str, Any]:
    return {"id": said.id, "parent": said.parent, "role": said.role, "content": said.text, "at": said.at}
