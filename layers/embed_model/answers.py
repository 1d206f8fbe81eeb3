"""Asks a finished model what it answers, and compares that with what its manifest expects.

Knows that token ids must be equal and that vectors may differ a little between processors. Refuses to know how the
model was made: it asks through the house's own loader. Invariant: a text is asked with the prefix of its kind.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from paramecium.errors import ModelDamaged
from paramecium.index.embedder import Embedder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEAN_TEXTS = Path(__file__).resolve().parent / "mean_texts.txt"
COMPONENTS = 8
TOLERANCE = 0.02


def expect(folder: Path, expected: Sequence[Mapping[str, Any]]) -> None:
    """Raises ModelDamaged naming the first text whose ids or vector are not the expected ones."""
    embedder = Embedder(folder)
    for want, got in zip(expected, _answers(embedder, expected), strict=True):
        if want["ids"] != got["ids"]:
            raise ModelDamaged(f"the tokenizer reads {want['text']!r} as {got['ids']}, not as {want['ids']}")
        gap = max(abs(a - b) for a, b in zip(want["vector"], got["vector"], strict=True))
        if gap > TOLERANCE:
            raise ModelDamaged(f"the vector of {want['text']!r} differs by {gap:.3f} from the expected one")


def given(folder: Path, texts: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Gives, for each {text, kind}, the same with token ids and the first components of its vector."""
    return tuple(_answers(Embedder(folder), texts))


def mean(folder: Path) -> list[float]:
    """Gives the mean of the passage vectors of `mean_texts.txt`, one text a line, rounded to 5 decimals."""
    texts = MEAN_TEXTS.read_text(encoding="utf-8").split("\n")
    vectors = Embedder(folder).passages([text for text in texts if text])
    return [round(float(component), 5) for component in vectors.mean(axis=0)]


def _answers(embedder: Embedder, texts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    answers = []
    for each in texts:
        text, kind = each["text"], each["kind"]
        vector = embedder.query(text) if kind == "query" else embedder.passages([text])[0]
        first = [round(float(component), 4) for component in vector[:COMPONENTS]]
        answers.append({"text": text, "kind": kind, "ids": embedder.tokens(text), "vector": first})
    return answers
