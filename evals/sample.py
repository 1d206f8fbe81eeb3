"""Recall on the sample life: 40 questions, asked by words alone, by vectors alone, and by both.

Runs the product's own import, ingest, full text, ranking and windows with the real model; words alone is what a life
without a model gets, vectors alone is what a view without words gives. Ranks nothing itself.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from evals import report
from evals.metrics import RANK_MAX, Answered, Score, first_rank, score
from paramecium import wiring
from paramecium.archive.names import conversation_id
from paramecium.errors import ModelMissing
from paramecium.index.embedder import Embedding
from paramecium.memories.tokens import estimated_tokens
from paramecium.messages import Json, load_json
from paramecium.recall import semantic
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Place
from paramecium.recall.search import Finder, Query, Views
from paramecium.recall.semantic import Nearness
from paramecium.recall.view import View
from paramecium.recall.windows import Window
from paramecium.settings import Settings
from paramecium.wiring import Parts
from paramecium.wiring.life import LifeParts

EXAMPLES: Final = Path(__file__).resolve().parents[1] / "examples"
LIFE: Final = "main"
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Question:
    """Is a question, its kind, and the messages any of which answers it."""

    text: str
    kind: str
    right: frozenset[Place]


@dataclass(frozen=True, slots=True)
class WithoutWords:
    """Gives the views of a life whose words nobody has indexed: what remains is vectors."""

    whole: Views

    def view(self) -> View:
        """Returns the same segments, without full text and young words."""
        view = copy(self.whole.view())
        view.fulltext, view.young = None, ()
        return view

    def resolve(self, view: View, conversation: str) -> str:
        """Returns our id for ours or the original one."""
        return self.whole.resolve(view, conversation)


def main(arguments: Sequence[str]) -> int:
    """Takes the figures and prints them; with --json as one document on standard output."""
    parser = argparse.ArgumentParser(prog="python -m evals sample", description="Recall on the sample life.")
    parser.add_argument("--json", action="store_true", help="print one document of JSON")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="paramecium-") as folder, report.bars() as bar:
        parts = wiring.build_parts(Settings(person="林夏", ai="小满"), data=Path(folder))
        bring_in(parts.of(LIFE), bar)
        rows = take(parts, questions(parts.of(LIFE)), bar("questions"))
    if given.json:
        report.print_json({"benchmark": "sample", "rows": rows})
    else:
        report.print_table("recall on the sample life", rows)
    return 0


def bring_in(life: LifeParts, bar: Callable[[str], report.Progress]) -> None:
    """Imports the sample life, ingests it and builds its full text."""
    life.import_file(EXAMPLES / "sample_life.jsonl", bar("import"))
    life.ingest(bar("ingest"))
    life.build_fulltext(bar("full text"))


def questions(life: LifeParts) -> list[Question]:
    """Returns the questions; a message is named by its position in the file, which its entry remembers."""
    lines = (EXAMPLES / "questions.jsonl").read_bytes().split(b"\n")
    return [_question(life, load_json(line)) for line in lines if line]


def take(parts: Parts, asked: Sequence[Question], progress: report.Progress) -> list[Json]:
    """Returns one row a way of finding and kind of question."""
    rows: list[Json] = []
    ways = finders(parts)
    for i, (way, finder) in enumerate(ways.items()):
        answered: list[Answered] = []
        for question in asked:
            answered.append(answer(finder, question))
            progress(i * len(asked) + len(answered), len(ways) * len(asked))
        rows += [{"way": way, "kind": kind, **_rounded(s)} for kind, s in _by_kind(answered)]
    return rows


def finders(parts: Parts) -> dict[str, Finder]:
    """Returns the product's finder without a model, without words, and as it is."""
    life = parts.of(LIFE)
    near = Nearness(lambda: parts.embedder)
    return {
        "words only": Finder(life.views, Nearness(_no_model)),
        "vectors only": Finder(WithoutWords(life.views), near),
        "fused": life.finder,
    }


def answer(finder: Finder, question: Question) -> Answered:
    """Asks one question: the order of messages, and the windows that are given back."""
    hits = semantic.rank(finder.views.view(), finder.near, question.text, Limits())
    windows = finder.recall(Query(question.text, n=RANK_MAX)).windows
    return Answered(
        question.kind,
        first_rank([hit.place for hit in hits], question.right),
        shown=any(place in question.right for window in windows for place in _places(window)),
        tokens=sum(estimated_tokens(window.text) for window in windows),
    )


def _question(life: LifeParts, raw: Json) -> Question:
    conversation = conversation_id(raw["conversation"])
    number = {e.source["position"]: e.n for e in life.archive.read(conversation) if e.is_message}
    named = raw["message_index"] if isinstance(raw["message_index"], list) else [raw["message_index"]]
    return Question(raw["q"], raw["kind"], frozenset((conversation, number[i]) for i in named))


def _places(window: Window) -> Iterator[Place]:
    return ((window.conversation, piece.said.n) for piece in window.pieces)


def _by_kind(answered: Sequence[Answered]) -> Iterator[tuple[str, Score]]:
    yield ALL, score(answered)
    for kind in dict.fromkeys(a.kind for a in answered):
        yield kind, score([a for a in answered if a.kind == kind])


def _rounded(found: Score) -> Json:
    return {name: round(value, 3) for name, value in asdict(found).items()}


def _no_model() -> Embedding:
    raise ModelMissing("words alone are measured here")
