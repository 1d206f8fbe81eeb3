"""The menu on a life that is lived again: what each lane lists, what of it is opened, and what is lost without it.

Runs the product's own menus, notes and ledger with the real model, over the sample life and, when the file is there,
MemoryBank's 15 persons as part of the same life; a scripted persona (see `persona`) opens what it remembers, so
contexts and edges grow by behaviour. Ranks nothing itself.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evals import report
from evals.menu import planted
from evals.menu.figures import ablation_rows, lane_rows, planted_rows, shares
from evals.menu.house import EmbedsOnce
from evals.menu.life import SETTINGS, Lived, live
from evals.menu.replay import Replay
from evals.sample import EXAMPLES
from paramecium.errors import BadInput
from paramecium.index.embedder import Embedder, Embedding, default_model_folder
from paramecium.index.passages import passages
from paramecium.messages import Json

# A data folder beside the checkout; nothing of it belongs to the project.
BANK: Final = next(iter(sorted(EXAMPLES.parents[1].glob("*/data/memorybank_cn"))), None)


def main(arguments: Sequence[str]) -> int:
    """Takes the figures and prints them; with --json as one document on standard output."""
    parser = argparse.ArgumentParser(prog="python -m evals menu", description="The menu on a life lived again.")
    said = "MemoryBank's memory_bank_cn.json, or its folder, lived as well [default: a data/memorybank_cn beside]"
    parser.add_argument("bank", nargs="?", type=Path, default=BANK, help=said)
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
    remembered = EmbedsOnce(embedder)
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
