"""A made-up life of any length: texts of Chinese words drawn as rarely or often as words are, and vectors of chance.

Knows a seed; the same seed and count give the same life, batch by batch, so that no life need be held in memory.
Invariant: a message is one passage, so messages and passages are as many.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from paramecium.index.embedder import Embedder, default_model_folder
from paramecium.index.passages import PASSAGE_CHARS_MAX
from paramecium.index.said import Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

SEED: Final = 20260612
WORDS: Final = 20_000
FIRST_DAY: Final = date(2021, 6, 13)
DAYS: Final = 5 * 365
END: Final = datetime(2026, 6, 12, 12, tzinfo=UTC)
TALK_MESSAGES: Final = 100
SPEAKERS: Final = ("林夏", "小满")
_WORDS_MEAN, _WORDS_SPREAD = 2.8, 0.7  # of the logarithm: a median of 16 words, 34 characters with their marks
_CLAUSE_WORDS = 6
_CHARS_MAX = 3
_NOISE = 0.025  # a dimension: about as far from the mean as real passages are


class Vocabulary:
    """Is 20,000 words of 1 to 3 of the 3,755 common characters (GB 2312, level 1), drawn by Zipf's law."""

    def __init__(self, seed: int = SEED) -> None:
        import numpy as np

        self.random = np.random.default_rng(seed)
        rows = (bytes((high, low)) for high in range(0xB0, 0xD8) for low in range(0xA1, 0xFF))
        common = [char for char in (row.decode("gb2312", "ignore") for row in rows) if char]
        lengths = self.random.choice([1, 2, 3], WORDS, p=[0.1, 0.75, 0.15]).tolist()
        chars = self.random.integers(0, len(common), (WORDS, _CHARS_MAX)).tolist()
        pairs = zip(chars, lengths, strict=True)
        self.words = ["".join(common[c] for c in some[:length]) for some, length in pairs]
        share = 1 / (np.arange(WORDS) + 10)
        self._reach = np.cumsum(share / share.sum())

    def texts(self, count: int) -> list[str]:
        """Returns the next texts."""
        import numpy as np

        longest = PASSAGE_CHARS_MAX // (_CHARS_MAX + 1)
        sizes = np.exp(self.random.normal(_WORDS_MEAN, _WORDS_SPREAD, count)).astype(np.int64).clip(1, longest)
        ends = np.concatenate(([0], np.cumsum(sizes))).tolist()
        drawn = np.minimum(np.searchsorted(self._reach, self.random.random(ends[-1])), WORDS - 1).tolist()
        return [_sentence([self.words[w] for w in drawn[a:b]]) for a, b in pairwise(ends)]


@dataclass(frozen=True, slots=True)
class SyntheticEmbedder:
    """Stands in for the model where its time is not measured: its id and mean, and rows that only chance made."""

    id: str
    mean: "NDArray[np.float32]"
    random: "np.random.Generator"

    @property
    def dims(self) -> int:
        """Returns the length of a vector."""
        return len(self.mean)

    @property
    def floors(self) -> "Mapping[str, float]":
        """Returns no floor."""
        return {}

    def query(self, text: str) -> "NDArray[np.float32]":
        """Returns a vector that has nothing to do with the text."""
        vector: NDArray[np.float32] = self.passages([text])[0]
        return vector

    def passages(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Returns one row a text, of length 1, around the mean."""
        import numpy as np

        raw = self.mean + self.random.standard_normal((len(texts), self.dims), np.float32) * np.float32(_NOISE)
        rows: NDArray[np.float32] = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return rows


def embedder(seed: int = SEED) -> SyntheticEmbedder:
    """Returns an embedder under the name of the model that stands here, so that this can be asked afterwards."""
    import numpy as np

    model = Embedder(default_model_folder())
    return SyntheticEmbedder(model.id, model.mean, np.random.default_rng(seed))


def saids(count: int, batch: int) -> Iterator[list[Said]]:
    """Yields the messages of a life in batches that end where a conversation ends."""
    vocabulary = Vocabulary()
    whole = max(batch // TALK_MESSAGES, 1) * TALK_MESSAGES
    for first in range(0, count, whole):
        texts = vocabulary.texts(min(whole, count - first))
        yield [_said(first + i, count, text) for i, text in enumerate(texts)]


def _said(i: int, count: int, text: str) -> Said:
    talk, n = divmod(i, TALK_MESSAGES)
    day = FIRST_DAY + timedelta(days=DAYS * i // count)
    at = f"{day.isoformat()}T{n // 60 + 20}:{n % 60:02d}:00+08:00"
    parent = f"m-{talk}-{n - 1}" if n else None
    role = ("user", "assistant")[n % 2]
    return Said(f"talk-{talk:05d}", n, f"m-{talk}-{n}", parent, role, SPEAKERS[n % 2], at, day.toordinal(), text)


def _sentence(words: Sequence[str]) -> str:
    clauses = ("".join(words[at : at + _CLAUSE_WORDS]) for at in range(0, len(words), _CLAUSE_WORDS))
    return "，".join(clauses) + "。"
