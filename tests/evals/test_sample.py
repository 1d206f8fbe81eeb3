"""The sample life is asked by words, by vectors and by both, with the product's own finder."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from evals import report, sample
from paramecium.settings import Settings
from paramecium.store.local import LocalStore
from paramecium.wiring import Parts
from tests.fakes import HashEmbedder


class Asked(HashEmbedder):
    """Remembers the queries it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.queries: list[str] = []

    def query(self, text: str) -> NDArray[np.float32]:
        """Returns the vector of a query and remembers it."""
        self.queries.append(text)
        return super().query(text)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """The sample life in a folder, ingested, with its full text."""
    folder = tmp_path_factory.mktemp("sample")
    made = Parts(Settings(), LocalStore(folder / "data"), embedder=Asked(), cache_folder=folder / "cache")
    sample.bring_in(made.of(sample.LIFE), report.silent_bar)
    return made


def test_every_question_names_messages_of_the_archive(parts: Parts) -> None:
    """Each of the 40 questions has an answer, and the first one is the message the file names."""
    asked = sample.questions(parts.of(sample.LIFE))
    assert len(asked) == 40
    assert all(question.right for question in asked)
    texts = [parts.of(sample.LIFE).views.view().said(place).text for place in asked[1].right]
    assert len(texts) == 1
    assert "5.2" in texts[0]


def test_rows_cover_every_way_and_kind(parts: Parts) -> None:
    """Each way has a row for all questions and one for each kind, and kinds add up to all."""
    asked = sample.questions(parts.of(sample.LIFE))
    rows = sample.take(parts, asked, lambda _done, _of: None)
    kinds = Counter(question.kind for question in asked)
    for way in ("words only", "vectors only", "fused"):
        counted = {row["kind"]: row["n"] for row in rows if row["way"] == way}
        assert counted == {"all": 40, **kinds}


def test_words_alone_ask_no_model(parts: Parts) -> None:
    """The same question is embedded when both ways are asked, and is not when words alone are."""
    embedder = parts.embedder
    assert isinstance(embedder, Asked)
    ways, question = sample.finders(parts), sample.questions(parts.of(sample.LIFE))[0]
    for way, embedded in (("fused", True), ("words only", False)):
        embedder.queries.clear()
        sample.answer(ways[way], question)
        assert (question.text in embedder.queries) == embedded


def test_vectors_alone_read_no_words(parts: Parts) -> None:
    """The view that answers by vectors has all segments of the whole one, and none of its words."""
    ways = sample.finders(parts)
    whole, bare = ways["fused"].views.view(), ways["vectors only"].views.view()
    assert whole.fulltext is not None
    assert (bare.fulltext, bare.young) == (None, ())
    assert bare.segments == whole.segments


def test_the_document_goes_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A document is one line of JSON on standard output, its characters unescaped."""
    document = {"rows": [{"kind": "日期", "n": 40}]}
    report.print_json(document)
    printed = capfdbinary.readouterr().out
    assert json.loads(printed) == document
    assert (printed.count(b"\n"), "日期".encode() in printed) == (1, True)


def test_the_dispatch_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown name is answered with those there are, exit code 2."""
    from evals.__main__ import main

    assert main(["nothing"]) == 2
    assert "sample" in capsys.readouterr().err


def test_a_table_shows_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    """A table holds the names and figures of its rows, figures with three digits after the point."""
    report.print_table("recall", [{"way": "fused", "r_at_5": 0.4}])
    shown = capsys.readouterr().out
    assert [word for word in ("fused", "r@5", "0.400") if word not in shown] == []


def test_the_examples_stand_in_the_checkout() -> None:
    """The sample life and its questions are files of the checkout."""
    assert {path.name for path in Path(sample.EXAMPLES).iterdir()} >= {"sample_life.jsonl", "questions.jsonl"}
