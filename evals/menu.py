"""The menu on a life that is lived again: what each lane lists, what of it is opened, and what is lost without it.

Runs the product's own menus, notes and ledger with the real model, over the sample life and, when the file is given,
MemoryBank's 15 persons as part of the same life; a scripted persona (see `menu_persona`) opens what it remembers, so
contexts and edges grow by behaviour. Ranks nothing itself.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals import planted, report
from evals.menu_figures import ablation_rows, lane_rows, planted_rows, shares
from evals.menu_house import Remembered
from evals.menu_life import SETTINGS, Lived, live
from evals.menu_replay import Replay
from paramecium.errors import BadInput
from paramecium.index.embedder import Embedder, Embedding, default_model_folder
from paramecium.index.passages import passages
from paramecium.messages import Json


def main(arguments: Sequence[str]) -> int:
    """Takes the figures and prints them; with --json as one document on standard output."""
    parser = argparse.ArgumentParser(prog="python -m evals menu", description="The menu on a life lived again.")
    parser.add_argument("bank", nargs="?", type=Path, help="MemoryBank's memory_bank_cn.json, to be lived as well")
    parser.add_argument("--json", action="store_true", help="print one document of JSON")
    given = parser.parse_args(arguments)
    try:
        life = live(given.bank)
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="paramecium-") as folder, report.bars() as bar:
        document = take(life, Embedder(default_model_folder()), Path(folder), bar)
    if given.json:
        report.print_json(document)
    else:
        show(document)
    return 0


def take(life: Lived, embedder: Embedding, folder: Path, bar: report.Bar) -> Json:
    """Returns all figures of a life as one document."""
    remembered = Remembered(embedder)
    remembered.fill(*_texts(life), bar("embed"))
    replay = Replay(life, remembered, folder, planted.LANES)
    whole = replay.run(bar("all lanes"), timed=True)
    talk = replay.talk()
    without = {}
    for lane in planted.LANES:
        others = tuple(other for other in planted.LANES if other != lane)
        without[lane] = Replay(life, remembered, folder, others).run(bar(f"without {lane}"))
    told = planted.tell(planted.CASES, remembered, folder)
    return {
        "benchmark": "menu",
        "life": {"turns": len(life.turns), "notes": len(life.notes), "probes": len(life.probes)},
        "lanes": lane_rows(whole),
        "without": ablation_rows(whole, without, told, len(life.probes)),
        "figures": shares(whole, talk),
        "planted": planted_rows(told),
    }


def show(document: Json) -> None:
    """Prints the document as tables."""
    life = document["life"]
    said = f"{life['turns']} turns, {life['notes']} notes"
    report.print_table(f"what each lane listed over {said}", document["lanes"])
    report.print_table("the same life without a lane", document["without"])
    report.print_table("what the menu costs", document["figures"])
    report.print_table("planted cases", document["planted"])


def _texts(life: Lived) -> tuple[list[str], list[str]]:
    """Returns what the replay asks the model for: queries, and passages."""
    asked = [turn.question.text for turn in life.turns] + [probe.text for probe in life.probes]
    answers = [turn.answer.text for turn in life.turns if turn.answer is not None]
    last = [text[slice(*spans[-1])] for text in answers if (spans := passages(text))]
    return asked, [note.content for note in life.notes] + [f"{SETTINGS.ai}: {text}" for text in last]
