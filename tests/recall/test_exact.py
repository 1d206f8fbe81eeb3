"""Exact search finds what a LIKE over folded texts finds, wherever the words stand."""

import random
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.errors import BadInput
from paramecium.index.fold import fold
from paramecium.messages import Entry
from paramecium.recall import exact
from paramecium.recall.limits import Limits
from paramecium.recall.search import WINDOWS_MAX
from tests.recall.lives import WORDS, Life, talkative

MIXTURES = ("fresh", "ingested", "full text", "a third each")


def mixed(folder: Path, mixture: str, seed: int = 1, messages: int = 180) -> Life:
    """Returns a life whose words stand where the mixture says."""
    life = Life(folder)
    talkative(life, seed, messages // 3, 6)
    if mixture == "a third each":
        life.build()
    talkative(life, seed + 1, messages // 3, 6)
    if mixture == "a third each":
        life.ingest()
    talkative(life, seed + 2, messages // 3, 6)
    if mixture == "ingested":
        life.ingest()
    if mixture == "full text":
        life.build()
    return life


def matches(life: Life, query: str, limits: Limits | None = None, cursor: str | None = None) -> list[exact.Match]:
    """Returns all matches behind a cursor."""
    return list(exact.find(life.views.view(), query, limits or Limits(), cursor))


@pytest.mark.parametrize("mixture", MIXTURES)
def test_exact_search_is_like_over_folded_texts(tmp_path: Path, mixture: str) -> None:
    """Each place of the query is found once, in no other message, words of one or two characters included."""
    life = mixed(tmp_path, mixture)
    rng = random.Random(5)
    texts = list(life.said.values())
    cuts = [t[(at := rng.randrange(len(t))) : at + rng.randint(1, 7)] for t in rng.choices(texts, k=150)]
    queries = [*WORDS, *cuts, "ython", "DOCK", "電脑", "体", "，", "设备》", "👩", "\u200d", "ａｂ", "nas\n", "nothing"]
    assert sum(bool(life.holding(q)) for q in queries) > 150
    for query in queries:
        found = matches(life, query)
        assert len(found) == len({(m.place, m.start) for m in found})
        assert {m.place for m in found} == life.holding(query), query


@given(st.lists(st.text(max_size=12), min_size=1, max_size=9), st.text(min_size=1, max_size=3), st.integers(0, 4))
@settings(max_examples=40, deadline=None)
def test_any_text_is_found_by_any_of_its_characters(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str, ingested: int
) -> None:
    """Whatever is said and asked, what is found is what LIKE finds."""
    life = Life(tmp_path_factory.mktemp("life"))
    asked = [query, *(t[:2] for t in texts if t)]
    life.say("a", *texts[:ingested])
    life.build()
    life.say("a", *texts[ingested:])
    for one in asked:
        assert {m.place for m in matches(life, one)} == life.holding(one)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_a_match_says_where_the_query_stands(tmp_path: Path, mixture: str) -> None:
    """The characters a match points at are the query, folded; a literal one is the query itself."""
    life = mixed(tmp_path, mixture)
    for query in ("ABC", "电脑", "讓", "茶", "CAFÉ"):
        found = matches(life, query)
        assert found
        for m in found:
            there = life.said[m.place][m.start : m.end]
            assert fold(there) == fold(query)
            assert m.literal == (query in life.said[m.place])


@pytest.mark.parametrize("mixture", MIXTURES)
def test_newest_first_and_literal_before_that(tmp_path: Path, mixture: str) -> None:
    """Of each 32 that follow one another the literal ones come first, and both kinds are in falling order."""
    life = mixed(tmp_path, mixture, messages=300)
    found = list({m.place: m for m in reversed(matches(life, "体重"))}.values())[::-1]
    moments = sorted((m.moment for m in found), reverse=True)
    assert len(found) > exact.LOOKED_AT_ONCE
    for at in range(0, len(found), exact.LOOKED_AT_ONCE):
        chunk = found[at : at + exact.LOOKED_AT_ONCE]
        assert sorted((m.moment for m in chunk), reverse=True) == moments[at : at + exact.LOOKED_AT_ONCE]
        assert chunk == sorted(chunk, key=lambda m: (m.literal, m.moment), reverse=True)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_the_cursor_goes_through_all_of_them(tmp_path: Path, mixture: str) -> None:
    """Pages of three show every match once, though something new is said between them."""
    life = mixed(tmp_path, mixture, messages=150)
    whole = matches(life, "茶")
    assert len(whole) > exact.LOOKED_AT_ONCE
    paged: list[exact.Match] = []
    cursor: str | None = None
    for _ in range(len(whole)):
        page = list(islice(exact.find(life.views.view(), "茶", Limits(), cursor), 4))
        paged += page[:3]
        if len(page) < 4:
            break
        cursor = page[3].cursor
        life.say("later", "又喝茶了", at="2026-07-01T08:00:00+08:00")
    assert [m.place for m in paged] == [m.place for m in whole]


def test_pages_of_windows_show_every_match(tmp_path: Path) -> None:
    """Through all pages every message that holds the query stands in a window, in one of a page at most."""
    life = mixed(tmp_path, "a third each")
    shown: set[tuple[str, int]] = set()
    cursor: str | None = None
    for _ in range(200):
        found = life.find("测试", exact=True, n=2, cursor=cursor)
        places = [(w.conversation, p.said.n) for w in found.windows for p in w.pieces]
        assert 1 <= len(found.windows) <= 2
        shown |= set(places)
        cursor = found.next
        if cursor is None:
            break
    assert cursor is None
    assert life.holding("测试") <= shown


def test_of_many_young_matches_none_is_lost(tmp_path: Path) -> None:
    """Thousands of messages that no full text covers are found once each, newest first."""
    life = Life(tmp_path)
    count = exact.FOUND_AT_FIRST * exact.GROWTH + 50
    life.add("a", *(Entry(f"a-{n}", n, role="user", text=f"晚安{n}") for n in range(count)))
    life.ingest()
    assert [m.place[1] for m in matches(life, "晚安")] == list(reversed(range(count)))
    assert [m.place[1] for m in matches(life, f"晚安{count - 1}")] == [count - 1]


@pytest.mark.parametrize("mixture", MIXTURES)
def test_days_and_conversation_are_kept_to(tmp_path: Path, mixture: str) -> None:
    """Both ends of a span belong to it, what has no date is in none, and a conversation is left out or alone."""
    life = mixed(tmp_path, mixture)
    days = sorted({m.moment[0] for m in matches(life, "茶")})
    assert days[0] == 0, "some have no date"
    first, last = days[3], days[-3]
    for limits in (
        Limits(date.fromordinal(first), date.fromordinal(last)),
        Limits(after=date.fromordinal(last)),
        Limits(before=date.fromordinal(first)),
        Limits(conversation="t2"),
        Limits(besides="t2"),
        Limits(besides="t2", besides_from=9),
        Limits(date.fromordinal(first), conversation="t3"),
        Limits(conversation="t3", besides="t3"),
    ):
        wanted = {m.place for m in matches(life, "茶") if limits.allow(m.place, m.moment[0])}
        assert {m.place for m in matches(life, "茶", limits)} == wanted
        assert wanted or limits.besides == limits.conversation


@pytest.mark.parametrize("cursor", ["", "x", "1", "-1.2.3.a", "1.2.3.A", "1" * 5000, "1.2.3.a\n", "٣.1.1.a"])
def test_what_is_no_cursor_is_refused(tmp_path: Path, cursor: str) -> None:
    """A cursor that was not given out is bad input."""
    life = Life(tmp_path)
    with pytest.raises(BadInput, match="not a cursor"):
        matches(life, "茶", cursor=cursor)


def test_many_windows_of_one_answer_are_all_different(tmp_path: Path) -> None:
    """No window is given for a match that one before it shows."""
    life = Life(tmp_path)
    life.say("a", *(f"{'喝茶。' * 100}{i}" for i in range(9)))
    windows = life.find("喝茶", exact=True, n=WINDOWS_MAX).windows
    assert len({(p.said.n, p.start) for w in windows for p in w.pieces[:1]}) == len(windows) > 3


@pytest.mark.parametrize(
    ("terms", "there"), [(["海边"], "海边"), (["没有"], "我"), (["abc"], "ＡＢＣ"), (["xyz", "kg"], "㎏")]
)
def test_the_first_term_is_where_a_text_is_opened(terms: list[str], there: str) -> None:
    """The first of the terms that stands in the text, or the text's beginning."""
    text = "我们在海边量了ＡＢＣ，3㎏。"
    start, end = exact.first_passage(text, terms)
    assert text[start:end] == there


def test_an_empty_text_opens_nowhere() -> None:
    """Of nothing, nothing is shown."""
    assert exact.first_passage("", ["海"]) == (0, 0)
