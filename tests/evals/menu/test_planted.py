"""Each lane brings up a memory that nothing else does: with the real model, among the notes of the sample life."""

from pathlib import Path

import pytest

from evals.menu import planted
from evals.menu.house import EmbedsOnce
from evals.menu.life import sample_notes
from evals.menu.planted import CASES, LANES, Planted
from paramecium.index.embedder import Embedder, default_model_folder


@pytest.fixture(scope="module")
def model() -> EmbedsOnce:
    """The real model, which embeds a text once."""
    return EmbedsOnce(Embedder(default_model_folder()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_lane_brings_its_memory_up(case: Planted, model: EmbedsOnce, tmp_path: Path) -> None:
    """With all lanes the memory is listed; without its own it stays away."""
    (told,) = planted.tell([case], model, tmp_path)
    assert (told.listed, told.listed_without, told.holds) == (True, False, True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_its_lane_alone_is_enough(case: Planted, model: EmbedsOnce, tmp_path: Path) -> None:
    """The lane brings the memory up when no other lane is there."""
    assert planted.is_listed(case, (case.lane,), model, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_on_another_occasion_it_stays_away(case: Planted, model: EmbedsOnce, tmp_path: Path) -> None:
    """On another day, after another reply, without rain and with nothing recalled, the memory is not listed."""
    other = case._replace(at="2026-11-11T12:00:00+08:00", text="嗯嗯", reply="好的", recalled=False)
    assert planted.is_listed(case, LANES, model, tmp_path)
    assert not planted.is_listed(other, LANES, model, tmp_path)


def test_every_lane_but_the_first_has_a_case_among_others() -> None:
    """The four lanes beside the message's own are planted, each case among at least 30 notes that are not meant."""
    notes = sample_notes()
    assert {case.lane for case in CASES} == set(LANES) - {"message"}
    for case in CASES:
        meant = [n for n in notes if any(n.content.startswith(beginning) for beginning in case.meant)]
        assert len(meant) == len(case.meant)
        assert len(notes) - len(meant) >= planted.AMONG_MIN
