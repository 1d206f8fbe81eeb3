"""Facts written by hand: which are active, what brings them up, and how they are given."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.documents import CUT, Document
from paramecium.memories.facts import FACTS_MAX, active, fact_text, matched
from paramecium.memories.front_matter import document

TODAY = date(2026, 6, 12)


def fact(name: str, front: str = "", text: str = "正文") -> Document:
    """Returns a fact of a front matter's lines."""
    return document(f"facts/{name}.md", f"---\n{front}\n---\n{text}".encode())


def names(facts: tuple[Document, ...]) -> list[str]:
    """Returns the names of facts."""
    return [f.path.removeprefix("facts/").removesuffix(".md") for f in facts]


def test_a_fact_holds_until_it_is_resolved_or_the_day_it_expires_is_over() -> None:
    """The day it expires still counts; the next does not."""
    facts = (
        fact("甲", "resolved: true"),
        fact("乙", "resolved: false"),
        fact("丙", "expires: 2026-06-11"),
        fact("丁", "expires: 2026-06-12"),
        fact("戊"),
    )
    assert names(active(facts, TODAY)) == ["乙", "丁", "戊"]


def test_a_keyword_in_the_words_brings_a_fact_up() -> None:
    """Written in another form or case it is found too; without any keyword, or with always, a fact needs none."""
    facts = (
        fact("龙井", "keywords: [龙井, 绿茶]"),
        fact("python", "keywords: [Python]"),
        fact("总", "keywords: [没人说]\nalways: true"),
        fact("无"),
    )
    assert names(matched(facts, "今天喝了龍井", TODAY, {})) == ["龙井", "总", "无"]
    assert names(matched(facts, "写ＰＹＴＨＯＮ", TODAY, {})) == ["python", "总", "无"]
    assert names(matched(facts, "", TODAY, {})) == ["总", "无"]


def test_a_fact_comes_again_only_when_its_text_is_another() -> None:
    """What was given is left out; a text that changed since is not, nor one that was given under another name."""
    old, new = fact("茶", text="绿茶"), fact("茶", text="白茶")
    assert matched((old,), "", TODAY, {old.path: old.sha256}) == ()
    assert matched((new,), "", TODAY, {old.path: old.sha256}) == (new,)
    assert matched((new,), "", TODAY, {"facts/别的.md": new.sha256}) == (new,)


def test_ten_a_turn_and_the_others_later() -> None:
    """Those whose keyword was said come first; what finds no room comes in the turns after."""
    facts = (*(fact(f"f{i:02d}") for i in range(15)), fact("z", "keywords: [雨]"))
    first = matched(facts, "下雨了", TODAY, {})
    assert names(first) == ["z", *(f"f{i:02d}" for i in range(FACTS_MAX - 1))]
    rest = matched(facts, "雨", TODAY, {f.path: f.sha256 for f in first})
    assert names(rest) == [f"f{i:02d}" for i in range(FACTS_MAX - 1, 15)]


def test_blank_facts_are_not_given() -> None:
    """A file without a word says nothing."""
    assert matched((fact("空", text=" \n"),), "", TODAY, {}) == ()


def test_a_fact_is_given_under_its_name_and_cut() -> None:
    """Its name stands before it; of a long one 1,000 characters stand, and the mark."""
    assert fact_text(fact("家/茶", text="\n只喝白茶。\n"), "zh") == "[事实 家/茶] 只喝白茶。"
    long = fact_text(fact("雨", text="雨" * 1001), "en")
    assert long == "[fact 雨] " + "雨" * 1000 + CUT


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 20), st.integers(1, 5))
def test_any_stretch_of_the_words_brings_up_the_fact_that_has_it_as_keyword(words: str, start: int, size: int) -> None:
    """Every keyword that the words hold is found in them, whatever it is."""
    keyword = words[start : start + size]
    one = Document("facts/x.md", "facts", "正文", "h", meta={"keywords": [keyword]})
    assert not keyword or matched((one,), words, TODAY, {}) == (one,)
