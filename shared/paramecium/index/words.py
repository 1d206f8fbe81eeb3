"""Which words a text and a question have, and how well they meet (BM25); and a scan of texts no full text covers yet.

Knows folded texts as plain values; refuses to know files, messages and dates. No index of words is kept in memory.
Invariant: for the same statistics a text gets the same score from a Scan and from the full text file.

A term is two neighbouring characters of Chinese, Japanese or Korean, or one when it stands alone, or a whole word of
other letters and digits. How often a term of one character occurs is counted wherever it stands: 茶 is in 喝茶.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from paramecium.index.fold import fold
from paramecium.index.function_words import CONTENT, FUNCTION_EN, FUNCTION_ZH
from paramecium.index.pairs import Pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75
QUERY_TERMS_MAX: Final = 64
TERMS_MAX: Final = 16
COUNT_MAX: Final = 255
COMMON_SHARE: Final = 0.05
COMMON_MIN: Final = 100
_KEPT_TERMS_MAX = 2 * QUERY_TERMS_MAX

# Documents in ascending order, each once, and how often (1..COUNT_MAX) the term occurs in each.
Postings: TypeAlias = "tuple[NDArray[np.uint32], NDArray[np.uint8]]"

# Jamo; radicals; 々〆〇 and 〡-〩; kana without the dot ・; bopomofo; ideographs; hangul; compatibility ideographs.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u30fa\u30fc-\u30ff\u3105-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = f"[^\\W_{_CJK}]"
_RUNS = re.compile(f"([{_CJK}]+)|({_LETTER}+)")
_WORDS = re.compile(f"{_LETTER}+")
_CUTS = re.compile("|".join(sorted(CONTENT | FUNCTION_ZH, key=lambda word: (-len(word), word))))


class Statistics(NamedTuple):
    """Is what BM25 knows of a whole collection: its documents, in how many each term is, and all lengths together."""

    documents: int
    frequency: Mapping[str, int]
    length: int


def tokens(folded_text: str) -> list[str]:
    """Returns the terms of a folded text in order, with repetition."""
    out: list[str] = []
    for cjk, word in _RUNS.findall(folded_text):
        if word:
            out.append(word)
        else:
            out.extend(map("".join, pairwise(cjk)) if len(cjk) > 1 else cjk)
    return out


def token_count(folded_text: str) -> int:
    """Returns len(tokens(folded_text)), without making them: the length of a document."""
    return sum(1 if word else max(len(cjk) - 1, 1) for cjk, word in _RUNS.findall(folded_text))


def words_of(folded_text: str) -> list[str]:
    """Returns those tokens of a folded text that are whole words, in order, with repetition."""
    return _WORDS.findall(folded_text)


def terms(query: str) -> list[str]:
    """Returns the distinct terms of a question that mean something; all its terms when none does.

    Of a long text these are the first 32 and the last 32: what is asked stands at an end.
    """
    folded = fold(query)
    meant = _CUTS.sub(lambda match: match[0] if match[0] in CONTENT else " ", folded)
    found = [term for term in tokens(meant) if term not in FUNCTION_EN]
    distinct = list(dict.fromkeys(found or tokens(folded)))
    half = QUERY_TERMS_MAX // 2
    return distinct if len(distinct) <= QUERY_TERMS_MAX else distinct[:half] + distinct[-half:]


def is_word(term: str) -> bool:
    """Tells whether a term is a whole word of letters and digits, and no characters of a CJK run."""
    return _WORDS.match(term) is not None


def together(parts: Iterable[Statistics]) -> Statistics:
    """Returns the statistics of several collections as one."""
    documents, length, frequency = 0, 0, dict[str, int]()
    for part in parts:
        documents += part.documents
        length += part.length
        for term, count in part.frequency.items():
            frequency[term] = frequency.get(term, 0) + count
    return Statistics(documents, frequency, length)


def chosen(terms: Sequence[str], statistics: Statistics) -> list[str]:
    """Returns the terms a score is made of: those that occur, rarest first, at most 16.

    A term in more than 5 % of the documents (and in more than 100) counts only when all of them are so common.
    """
    frequency = statistics.frequency
    known = sorted((t for t in dict.fromkeys(terms) if frequency.get(t)), key=lambda t: (frequency[t], t))
    common = max(COMMON_MIN, statistics.documents * COMMON_SHARE)
    return ([t for t in known if frequency[t] <= common] or known)[:TERMS_MAX]


def bm25(
    terms: Sequence[str],
    postings: Callable[[str], Postings],
    lengths: "NDArray[np.uint32]",
    statistics: Statistics,
) -> "NDArray[np.float64]":
    """Returns the score of each document, 0 where no chosen term occurs; higher is better.

    Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), k1 1.2, b 0.75, with the idf that is never
    negative, ln(1 + (N - df + 0.5) / (df + 0.5)). `lengths` and `postings` are of one part of the collection that
    `statistics` describes.
    """
    import numpy as np

    scores = np.zeros(len(lengths))
    mean_length = max(statistics.length, 1) / max(statistics.documents, 1)
    for term in chosen(terms, statistics):
        rows, counts = postings(term)
        frequency = statistics.frequency[term]
        idf = np.log1p((statistics.documents - frequency + 0.5) / (frequency + 0.5))
        tf = counts.astype(np.float64)
        scores[rows] += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths[rows] / mean_length))
    return scores


class Scan:
    """Searches folded texts by going through them: one joined text, and where each document begins.

    Documents are named by their position. A term takes about half a nanosecond a character.
    """

    def __init__(self, folded_texts: Iterable[str]) -> None:
        import numpy as np

        texts = list(folded_texts)
        self._joined = "\n".join(texts)
        self._starts = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) + 1 for text in texts], out=self._starts[1:])
        self.lengths: NDArray[np.uint32] = np.fromiter(map(token_count, texts), np.uint32, len(texts))
        self._kept: dict[str, Postings] = {}
        self._pairs: Pairs | None = None

    @classmethod
    def of_joined(cls, joined: str, starts: "NDArray[np.int64]", lengths: "NDArray[np.uint32]") -> "Scan":
        """Returns the scan whose `joined`, `starts` and `lengths` were kept, without folding or counting again."""
        scan = cls(())
        scan._joined, scan._starts, scan.lengths = joined, starts, lengths
        return scan

    @property
    def joined(self) -> str:
        """Returns the folded texts, a line break between any two."""
        return self._joined

    @property
    def starts(self) -> "NDArray[np.int64]":
        """Returns where each document begins in the joined text, and where one behind the last would."""
        return self._starts

    def gather(self, terms: Iterable[str]) -> None:
        """Counts all pairs of characters among `terms` in one go, so that `counts` knows them."""
        import numpy as np

        pairs = sorted({t for t in terms if len(t) == 2 and not is_word(t) and t not in self._kept})
        if not pairs:
            return
        if self._pairs is None:
            self._pairs = Pairs(self._joined)
        places, which = self._pairs.find(pairs)
        rows = np.searchsorted(self._starts, places, "right") - 1
        if len(self._kept) + len(pairs) > _KEPT_TERMS_MAX:
            self._kept.clear()
        for at, term in enumerate(pairs):
            self._kept[term] = _counted(rows[which == at])

    def counts(self, term: str) -> Postings:
        """Returns the documents that hold the term, ascending, and how often each does (at most 255)."""
        import numpy as np

        kept = self._kept.get(term)
        if kept is None:
            places = np.fromiter(_places(term, self._joined), np.int64)
            kept = _counted(np.searchsorted(self._starts, places, "right") - 1)
            if len(self._kept) >= _KEPT_TERMS_MAX:
                self._kept.clear()
            self._kept[term] = kept
        return kept

    def statistics(self, terms: Sequence[str]) -> Statistics:
        """Returns the statistics of these documents for `terms`."""
        frequency = {term: len(self.counts(term)[0]) for term in terms}
        return Statistics(len(self.lengths), frequency, int(self.lengths.sum()))

    def bm25(self, terms: Sequence[str], statistics: Statistics) -> "NDArray[np.float64]":
        """Returns the score of each document among the whole collection that `statistics` describes."""
        return bm25(terms, self.counts, self.lengths, statistics)

    def find(self, folded_query: str, limit: int, *, newest_first: bool = True) -> list[int]:
        """Returns the documents that hold the query, each once, at most `limit`; last documents first by default."""
        found: list[int] = []
        at, end = 0, len(self._joined)
        while folded_query and len(found) < limit and at <= end:
            place = (self._joined.rfind if newest_first else self._joined.find)(folded_query, at, end)
            if place < 0:
                break
            document = int(self._starts.searchsorted(place, "right")) - 1
            start, next_start = int(self._starts[document]), int(self._starts[document + 1])
            if place + len(folded_query) < next_start:
                found.append(document)
                at, end = (at, max(start - 1, 0)) if newest_first else (next_start, end)
            elif newest_first:  # a query that runs over a document's end
                end = place + len(folded_query) - 1
            else:
                at = place + 1
        return found


def _counted(documents: "NDArray[np.int64]") -> Postings:
    import numpy as np

    rows, counts = np.unique(documents, return_counts=True)
    return rows.astype(np.uint32), np.minimum(counts, COUNT_MAX).astype(np.uint8)


def _places(term: str, joined: str) -> Iterator[int]:
    escaped = re.escape(term)
    if is_word(term):  # both ends are looked at last: a pattern that begins with letters is searched for fastest
        pattern = f"{escaped}(?!{_LETTER})(?<!{_LETTER}{escaped})"
    elif term[1:] == term[:1]:  # 哈哈 is twice in 哈哈哈
        pattern = f"{re.escape(term[0])}(?={re.escape(term[1:])})"
    else:
        pattern = escaped
    return (match.start() for match in re.finditer(pattern, joined)) if term else iter(())
