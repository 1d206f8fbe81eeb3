"""Every subject of the bench runs, at a size of nothing: what is held is that it measures, not how fast."""

import json
from pathlib import Path

import httpx
import numpy as np
import pytest

from evals.bench import (
    __main__,
    calibration,
    embedding,
    finding,
    gateway,
    long_life,
    memories,
    menu,
    servers,
    starts,
    writing,
)
from evals.bench.fake_upstream import PIECE, answer
from evals.bench.gateway import Timings, Way, ask
from evals.bench.measure import Bench, Sizes
from evals.bench.rows import Row
from paramecium.errors import UpstreamTruncated

TINY = Sizes(
    passages=600,
    batch=200,
    calls=2,
    starts=1,
    messages=200,
    flood=300,
    floods=1,
    embedded=1,
    memories=60,
    moments=20,
    sha256_bytes=1000,
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A bench of tiny sizes over a folder of its own."""
    return Bench(tmp_path_factory.mktemp("bench"), TINY)


def names(rows: list[Row]) -> set[str]:
    """Returns the subjects of rows: what stands before the colon."""
    return {row.name.partition(":")[0] for row in rows}


def test_the_machine_is_measured(bench: Bench) -> None:
    """Calibration gives three rows, and leaves no file behind."""
    rows = list(calibration.rows(bench))
    assert len(rows) == 3
    assert not (bench.folder / "fsync").exists()


def test_finding_among_a_made_up_life(bench: Bench) -> None:
    """A life of 600 passages is built, its vectors are searched where they are mapped, and recalls find words."""
    vectors, recalls = list(finding.vector_rows(bench)), list(finding.recall_rows(bench))
    assert "a view of the mapped file" in vectors[-1].note
    assert [row.n for row in recalls] == [2, 2, 2, 2]
    assert all("600 passages" in row.note for row in recalls)


def test_a_menu_of_a_made_up_life(bench: Bench) -> None:
    """Both messages get a menu that lists something; the row says of how many memories."""
    rows = list(menu.rows(bench))
    assert [row.n for row in rows] == [2, 2]
    assert all("60 memories, 20 moments" in row.note for row in rows)


def test_a_life_is_built_once(bench: Bench) -> None:
    """A second look finds the life as it stands; one made by another recipe is made anew."""
    folder = long_life.built(bench)
    first = long_life.standing(folder)
    assert long_life.standing(long_life.built(bench)) == first
    (folder / "made.json").write_text("{}")
    assert long_life.standing(long_life.built(bench)).segments != first.segments


def test_words_come_in(bench: Bench) -> None:
    """Import, ingest and full text are measured, and the long life has its full text again afterwards."""
    rows = list(writing.rows(bench))
    assert names(rows) == {"ingest"}
    assert len(rows) == 3
    assert long_life.standing(long_life.built(bench)).fulltext is not None


def test_memories_are_loaded_in_a_fresh_process(bench: Bench) -> None:
    """Sixty memories are kept, loaded elsewhere, and seen after a new note and a new call."""
    rows = list(memories.rows(bench))
    assert names(rows) == {"memories"}
    assert ["view" in row.name for row in rows] == [False, True, True, True, False]
    assert all(row.best > 0 for row in rows)


def test_a_copy_is_not_taken_for_a_view(tmp_path: Path) -> None:
    """An array over a mapping is seen as mapped through slices; its copy is not."""
    (tmp_path / "rows").write_bytes(bytes(4096))
    mapped = np.asarray(np.memmap(tmp_path / "rows", np.uint8, "r"))
    assert finding.is_mapped(mapped[10:20].reshape(2, 5))
    assert not finding.is_mapped(mapped[10:20].copy())


def test_the_model_is_measured(bench: Bench) -> None:
    """Passages, short messages and queries each have a row."""
    assert len(list(embedding.rows(bench))) == 3


def test_fresh_processes_answer(bench: Bench) -> None:
    """Serve and the command line answer from fresh processes, each beside its bar."""
    rows = list(starts.rows(bench))
    assert [row.n for row in rows] == [1, 1, 1]
    assert [row.bar is not None for row in rows] == [True, True, True]


def test_the_gateway_is_asked_beside_the_service(bench: Bench) -> None:
    """Overhead, relay and memory are measured through a real server before a real socket."""
    rows = list(gateway.rows(bench))
    assert names(rows) == {"gateway", "relay", "memory"}
    assert [row.name for row in rows if row.bar] == [
        "gateway: overhead on the first words",
        "relay: events through /api/chat",
    ]


def test_a_piece_that_is_lost_is_no_figure() -> None:
    """The fake service gives every piece it is asked for; asking for one more than there are is an error."""
    assert sum(PIECE.encode() in chunk for chunk in answer(7)) == 7
    with servers.fake_upstream(7) as upstream, httpx.Client(trust_env=False) as web:
        way, timings = Way(f"{upstream}/v1/messages", {}, b'"text_delta"'), Timings()
        ask(web, way, servers.FLOOD, timings, 7)
        assert len(timings.end) == 1
        with pytest.raises(UpstreamTruncated, match="7 pieces"):
            ask(web, way, servers.FLOOD, timings, 8)


def test_one_document_of_rows(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    """With --json and --only, standard output holds one document: calibration and the subject named."""
    monkeypatch.setattr(__main__, "Bench", lambda bar: Bench(tmp_path, TINY, bar))
    assert __main__.main(["--json", "--only", "embedding"]) == 0
    rows = json.loads(capfdbinary.readouterr().out)["rows"]
    assert {row["row"].partition(":")[0] for row in rows} == {"calibration", "embedding"}
