"""How fast the model reads, on one thread."""

from collections.abc import Callable, Iterator
from typing import Final

from evals.bench.measure import Bench, seconds
from evals.bench.rows import Row, rate, taken_ms
from evals.sample import EXAMPLES
from paramecium.index.embedder import Embedder, default_model_folder
from paramecium.index.passages import PASSAGE_CHARS_MAX
from paramecium.messages import load_json

ROUNDS: Final = 5
SHORT_CHARS: Final = 12


def rows(bench: Bench) -> Iterator[Row]:
    """Yields passages of full length, short messages, and one query."""
    model = Embedder(default_model_folder(), threads=1)
    model.warm()
    words = _chinese()
    count = bench.sizes.embedded
    for what, chars in (("passages", PASSAGE_CHARS_MAX), ("messages", SHORT_CHARS)):
        texts = [words[i * chars % (len(words) - chars) :][:chars] for i in range(count)]
        took = seconds(_reading(model, texts), ROUNDS, bench.bar(f"embedding {what}"))
        name = f"embedding: {what} of {chars} Chinese characters"
        yield rate(name, f"{what}/s", count, took, note=f"one thread, rounds of {count}")
    took = seconds(lambda i: model.query(words[i * 3 :][:SHORT_CHARS]), bench.sizes.calls, bench.bar("queries"))
    yield taken_ms(f"embedding: a query of {SHORT_CHARS} characters", took, note="one thread")


def _reading(model: Embedder, texts: list[str]) -> Callable[[int], object]:
    return lambda _: model.passages(texts)


def _chinese() -> str:
    """Returns the Chinese characters of the sample life, all other left out."""
    lines = (EXAMPLES / "sample_life.jsonl").read_bytes().split(b"\n")
    said = (message["content"] for line in lines if line for message in load_json(line)["messages"])
    return "".join(char for text in said for char in text if "一" <= char <= "鿿" or char in "，。！？")
