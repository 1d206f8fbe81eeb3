"""A life is lived again beside the product's menus, and a file that is no life is told as such."""

import json
from datetime import date, datetime
from pathlib import Path

import pytest

from evals import report
from evals.menu import __main__ as menu
from evals.menu.bank import WHERE, read_bank
from evals.menu.life import Lived, live
from evals.menu.persona import Persona
from evals.menu.planted import LANES
from evals.menu.replay import Replay
from paramecium.messages import Json, dump_json
from tests.fakes import HashEmbedder

SAID = "我昨天把阳台上的薄荷搬进屋里了，叶子有点黄"
BANK = {
    "赵青": {
        "name": "赵青",
        "history": {
            "2023-04-27": [{"query": SAID, "response": "薄荷喜欢晒太阳。"}, {"query": "好", "response": "嗯。"}],
            "2023-04-28": [{"query": "薄荷的叶子又黄了，搬回阳台上好吗", "response": "多半是水浇多了。"}],
        },
    }
}


def written(folder: Path, bank: object) -> Path:
    """Returns the file that holds a bank."""
    path = folder / "memory_bank_cn.json"
    path.write_bytes(dump_json(bank))
    return path


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """The sample life with one more person in it."""
    return live(written(tmp_path_factory.mktemp("bank"), BANK))


@pytest.fixture
def model() -> HashEmbedder:
    """A model whose menu has floors."""
    model = HashEmbedder()
    model.floors = {"menu.message": 0.3, "menu.afterglow": 0.4, "menu.context": 0.5}
    return model


def test_another_persons_talk_is_part_of_the_life(lived: Lived) -> None:
    """Turns of both stand in order of time, and each message of 12 characters or more is a note on its own words."""
    moments = [turn.at for turn in lived.turns]
    assert moments == sorted(moments)
    assert moments[0].date() == date(2023, 4, 27)
    assert moments[-1].date() == date(2026, 8, 27)
    mine = [note for note in lived.notes if note.date.startswith("2023")]
    assert [(note.content, note.quote) for note in mine] == [(SAID, SAID), ("薄荷的叶子又黄了，搬回阳台上好吗",) * 2]


def test_probes_are_answered_by_notes_that_hold(lived: Lived) -> None:
    """Each of at least thirty questions names notes of the life."""
    assert len(lived.probes) >= 30
    assert all(probe.right <= {note.id for note in lived.notes} for probe in lived.probes)


def test_a_note_is_not_there_on_its_own_day(lived: Lived, model: HashEmbedder, tmp_path: Path) -> None:
    """What was said on a day is listed on later ones, and only there."""
    replayed = Replay(lived, model, tmp_path, LANES).run(report.silent_bar(""))
    said = {note.id: datetime.fromisoformat(note.said_at).date() for note in lived.notes}
    assert (replayed.listed[0].line.title, replayed.listed[0].at.date()) == (SAID, date(2023, 4, 28))
    assert [each for each in replayed.listed if said[each.line.id] >= each.at.date()] == []
    assert {len(replayed.given_tokens), len(replayed.said_tokens)} == {len(lived.turns)}


def test_a_bank_may_be_named_by_its_folder(tmp_path: Path) -> None:
    """The folder that holds the file stands for it."""
    path = written(tmp_path, BANK)
    assert read_bank(tmp_path) == read_bank(path) != []


def test_the_persona_opens_what_the_reply_shows() -> None:
    """It opens the note whose rare characters the reply says, not the one the person named herself."""
    persona = Persona({"mint": SAID, "cat": "砚台睡在扫描仪上"}, [SAID, "砚台睡在扫描仪上"])
    assert persona.opens(["cat", "mint"], "砚台在扫描仪上", "薄荷的叶子还黄吗？扫描仪关了吗？") == ("mint",)
    assert persona.opens(["cat", "mint"], "早", "早。") == ()


def test_the_document_has_every_lane(lived: Lived, model: HashEmbedder, tmp_path: Path) -> None:
    """The document holds a row a lane, a row without each lane, the figures with their bars, and the planted cases."""
    few = Lived(lived.turns[:3], lived.taken, lived.probes[:2])
    document = json.loads(dump_json(menu.take(few, model, tmp_path, report.silent_bar)))
    assert list(document) == ["benchmark", "life", "lanes", "without", "figures", "planted"]
    assert [row["lane"] for row in document["lanes"]] == list(LANES)
    assert [row["lanes"] for row in document["without"]] == ["all", *(f"without {lane}" for lane in LANES)]
    assert [row["at_most"] for row in document["figures"]].count(None) == 2
    assert len(document["planted"]) == 5


def broken() -> list[tuple[Json, str]]:
    """Returns banks of another form, and what is said of each."""
    turn = {"query": SAID, "response": "嗯。"}
    return [
        ({}, "nobody is in it"),
        ({"赵青": []}, "赵青 is no JSON object"),
        ({"赵青": {"history": []}}, "the history of 赵青 is no JSON object"),
        ({"赵青": {"history": {"昨天": [turn]}}}, "a day of 赵青 is no date"),
        ({"赵青": {"history": {"2023-04-27": turn}}}, "赵青 on 2023-04-27 is no list"),
        ({"赵青": {"history": {"2023-04-27": [{"query": SAID}]}}}, "turn 1 of 赵青 on 2023-04-27 has no response"),
    ]


@pytest.mark.parametrize(("bank", "said"), broken())
def test_a_bank_of_another_form_gives_no_figures(
    bank: Json, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong, and where the file can be had, stands on standard error; the exit code is 2, no figure."""
    assert menu.main([str(written(tmp_path, bank)), "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, said in err, WHERE in err) == ("", True, True)


@pytest.mark.parametrize("body", [None, b"", b"[1]", b'{"\xff', b'{"a": {"history": {"2023-04-27": [{'])
def test_a_file_that_cannot_be_read_gives_no_figures(
    body: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is missing, cut off, no JSON or no object is told by its name."""
    path = tmp_path / "bank.json"
    if body is not None:
        path.write_bytes(body)
    assert menu.main([str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, str(path) in err, WHERE in err) == ("", True, True)
