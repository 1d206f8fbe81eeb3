import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.index.fold import fold
from paramecium.index.fulltext import FullText, FullTextWriter
from paramecium.index.function_words import CONTENT, FUNCTION_EN, FUNCTION_ZH
from paramecium.index.words import (
    Scan,
    Statistics,
    chosen,
    is_word,
    terms,
    together,
    token_count,
    tokens,
    words_of,
)

TEXTS = st.text(
    st.sampled_from("我的猫猫茶喝ab1 deploy。《》_é々ーカ한글😂👨\u200d👍🏽\ud800\0\n\u2028"), max_size=20
).map(fold)


def naive_count(text: str, term: str) -> int:
    """Counts a term by the definition: a single CJK character anywhere, anything else among the tokens."""
    if len(term) == 1 and not is_word(term):
        return text.count(term)
    return tokens(text).count(term)


def test_characters_go_in_pairs_and_words_whole() -> None:
    """Cuts CJK runs into neighbours, keeps words and numbers whole, and stops at everything else."""
    assert tokens("我家的猫叫deploy了2次。茶") == ["我家", "家的", "的猫", "猫叫", "deploy", "了", "2", "次", "茶"]
    assert tokens("snake_case don't カード 한국어 😂。") == [
        "snake", "case", "don", "t", "カー", "ード", "한국", "국어",
    ]  # fmt: skip
    assert tokens("") == []


def test_a_title_is_searchable_without_its_marks() -> None:
    """Gives 《留守女士》 the terms of 留守女士."""
    assert tokens("看了《留守女士》吗")[1:4] == tokens("留守女士") == ["留守", "守女", "女士"]
    assert set(terms("留守女士")) <= set(tokens("昨天看了《留守女士》这部剧"))


@given(TEXTS)
def test_the_length_is_the_number_of_tokens(text: str) -> None:
    """Counts tokens without making them, and picks the same whole words."""
    assert token_count(text) == len(tokens(text))
    assert words_of(text) == [token for token in tokens(text) if is_word(token)]


def test_every_function_word_is_folded_and_content_stands_above() -> None:
    """Holds the lists to folded spelling, and each content word to containing a function word."""
    words = FUNCTION_ZH | FUNCTION_EN | CONTENT
    assert {fold(word) for word in words} == words
    assert not CONTENT & FUNCTION_ZH
    assert all(any(word in content for word in FUNCTION_ZH) for content in CONTENT)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("我們什麼時候去的海邊？", ["去", "海边"]),
        ("你还记得我养的猫叫什么吗", ["养", "猫"]),
        ("What did I say about the NAS backup?", ["say", "nas", "backup"]),
        ("学吉他的目的是什么", ["学吉", "吉他", "目的"]),
        ("端到端测试结果 端到端", ["端到", "到端", "端测", "测试", "试结", "结果"]),
        ("茶", ["茶"]),
        ("什么时候", ["什么", "么时", "时候"]),
        ("what did", ["what", "did"]),
        ("。。。", []),
        ("", []),
    ],
)
def test_a_question_has_the_words_that_mean_something(question: str, meant: list[str]) -> None:
    """Leaves out function words, unless nothing else is there; names each term once."""
    assert terms(question) == meant


def test_of_a_long_text_both_ends_are_asked() -> None:
    """Takes the first and the last 32 terms of a text with more than 64."""
    found = terms(" ".join(f"word{i}" for i in range(1000)))
    assert found == [f"word{i}" for i in (*range(32), *range(968, 1000))]


def test_rare_terms_are_chosen_before_common_ones() -> None:
    """Takes those that occur, rarest first, at most 16; common ones only when all are common."""
    statistics = Statistics(10_000, {"猫": 3, "狗": 500, "的": 501, "无": 0, "鱼": 3}, 1)
    assert chosen(["的", "狗", "猫", "鱼", "无", "猫"], statistics) == ["猫", "鱼", "狗"]
    assert chosen(["的", "无"], statistics) == ["的"]
    assert chosen(["猫", "的"], statistics._replace(documents=3)) == ["猫"]
    many = {f"w{i:02}": i + 1 for i in range(30)}
    assert chosen(list(many), Statistics(100, many, 1)) == [f"w{i:02}" for i in range(16)]


def test_statistics_add_up() -> None:
    """Adds documents, lengths and frequencies of several parts."""
    parts = [Statistics(2, {"a": 1}, 10), Statistics(3, {"a": 2, "b": 3}, 20)]
    assert together(parts) == Statistics(5, {"a": 3, "b": 3}, 30)


def test_the_score_is_the_formula() -> None:
    """Gives one hand-computed score, and 0 to a text without the term."""
    scan = Scan(["猫粮猫粮", "狗", "狗粮和水", "深山里有座庙"])
    scores = scan.bm25(["猫粮"], scan.statistics(["猫粮"]))
    idf = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    length, mean = 3, (3 + 1 + 3 + 5) / 4
    assert scores.tolist() == pytest.approx([idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * length / mean)), 0, 0, 0])


@given(st.lists(TEXTS, max_size=8), st.data())
def test_a_scan_counts_what_a_tokenised_index_would(texts: list[str], data: st.DataObject) -> None:
    """Counts every term of the texts, single characters, and absent terms as the definition says."""
    scan = Scan(texts)
    every = sorted({token for text in texts for token in tokens(text)} | {"猫", "茶", "缺席", "absent"})
    term = data.draw(st.sampled_from(every))
    rows, counts = scan.counts(term)
    expected = {i: naive_count(text, term) for i, text in enumerate(texts)}
    assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == {i: c for i, c in expected.items() if c}
    assert rows.tolist() == sorted(rows.tolist())
    assert scan.statistics([term]) == Statistics(
        len(texts), {term: len(rows)}, sum(Counter({i: len(tokens(text)) for i, text in enumerate(texts)}).values())
    )


@given(st.lists(TEXTS, max_size=8), st.data())
def test_a_scan_finds_what_is_there(texts: list[str], data: st.DataObject) -> None:
    """Finds exactly the texts that hold a query cut from one of them or made up, either way round, up to the limit."""
    joined = "\n".join(texts)
    start = data.draw(st.integers(0, len(joined)))
    query = data.draw(st.sampled_from([joined[start : start + 1], joined[start : start + 4], "缺席"]))
    expected = [i for i, text in enumerate(texts) if query and query in text]
    scan = Scan(texts)
    assert scan.find(query, 100, newest_first=False) == expected
    assert scan.find(query, 100) == expected[::-1]
    assert scan.find(query, 2) == expected[::-1][:2]


def test_counts_end_at_255_and_terms_are_forgotten_in_bounds() -> None:
    """Counts no further than one byte, and answers right after more terms than it keeps."""
    scan = Scan(["猫" * 1000, "w1 w2"])
    assert scan.counts("猫猫")[1].tolist() == [255]
    assert all(len(scan.counts(f"w{i}")[0]) == (i in (1, 2)) for i in range(200))
    assert scan.counts("猫猫")[0].dtype == np.uint32


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=20), st.data())
def test_file_and_scans_score_alike(texts: list[str], data: st.DataObject) -> None:
    """Gives the same scores in one file, in one scan, and half in a file and half in two scans."""
    asked = [*dict.fromkeys(token for text in texts for token in tokens(text)), "猫", "缺席"][:20]
    half, rest = len(texts) // 2, data.draw(st.integers(len(texts) // 2, len(texts)))
    with TemporaryDirectory() as folder:
        whole, part = (FullText(written(Path(folder) / name, texts[:end])) for name, end in (("w", None), ("p", half)))
        scans = [Scan(texts), Scan(texts[half:rest]), Scan(texts[rest:])]
        statistics = together([part.statistics(asked), *(scan.statistics(asked) for scan in scans[1:])])
        assert statistics == whole.statistics(asked) == scans[0].statistics(asked)
        by_file = {n: score for _, n, score in whole.bm25(asked, limit=100)}
        by_part = {n: score for _, n, score in part.bm25(asked, limit=100, statistics=statistics)}
        whole.close()
        part.close()
    by_scan, *by_scans = (scan.bm25(asked, statistics).tolist() for scan in scans)
    mixed = [*(by_part.get(n, 0.0) for n in range(half)), *by_scans[0], *by_scans[1]]
    assert by_scan == pytest.approx([by_file.get(n, 0.0) for n in range(len(texts))], abs=1e-9)
    assert mixed == pytest.approx(by_scan, abs=1e-9)
    assert list(by_file) == sorted(by_file, key=lambda n: (-by_file[n], -n))


def written(path: Path, texts: list[str]) -> Path:
    """Returns the path of a full text with the texts as messages of one conversation on one day."""
    writer = FullTextWriter(path)
    for n, text in enumerate(texts):
        writer.add("c", n, 738000, text)
    writer.finish({})
    return path
