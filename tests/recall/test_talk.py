"""A conversation's path, its branches and its title."""

import pytest

from paramecium.errors import ConversationMissing
from paramecium.index.said import Mark
from paramecium.recall.talk import TALKS_KEPT, Link, Talk, Talks, title_of


def line(*links: Link, marks: list[Mark] | None = None) -> Talk:
    """Returns a talk."""
    return Talk("a", links, marks or [])


FORK = ((0, "q", None), (1, "r", "q"), (2, "old", "r"), (3, "old2", "old"), (4, "new", "r"))


def test_the_path_ends_at_the_newest_message() -> None:
    """An edit that was said last is on the path, what it replaced is not."""
    talk = line(*reversed(FORK))
    assert talk.path == (0, 1, 4)
    assert [n for n in talk.numbers if not talk.on_path(n)] == [2, 3]


def test_a_chosen_leaf_holds_until_something_is_said() -> None:
    """The leaf chosen last is the end of the path while nothing newer was said; one that is unknown is passed over."""
    chosen = [Mark("a", 5, "choose", "old2"), Mark("a", 6, "choose", "lost")]
    assert line(*FORK, marks=chosen).path == (0, 1, 2, 3)
    assert line(*FORK, (7, "more", "new"), marks=chosen).path == (0, 1, 4, 7)


def test_off_the_path_the_chain_leads_to_the_newest_behind() -> None:
    """Of two ways on from a message off the path, the one that holds the newest message is taken."""
    fork = ((0, "q", None), (1, "a", "q"), (2, "b", "a"), (3, "c", "a"), (4, "d", "b"), (5, "e", "q"))
    talk = line(*fork)
    assert talk.path == (0, 5)
    assert talk.chain_of(1) == (0, 1, 2, 4)
    assert talk.chain_of(3) == (0, 1, 3)


def test_a_parent_that_is_not_there_is_bridged() -> None:
    """What hangs on a system message hangs on the one before it, and its versions on the same."""
    assert line((0, "q", None), (2, "r", "system")).path == (0, 2)
    edited = line((1, "q", "system"), (2, "r", "q"), (3, "q2", "system"), (4, "r2", "q2"))
    assert edited.path == (3, 4)
    assert edited.chain_of(1) == (1, 2)


def test_what_nobody_said_is_gone_through() -> None:
    """Behind a hidden message stands what it hangs on, not the other version that happens to come before it."""
    hidden = [Mark("a", 2, "link", "s q"), Mark("a", 3, "link", "t s"), Mark("a", 0, "link", "root ")]
    talk = line((1, "q", "root"), (4, "other", "q"), (5, "r", "t"), marks=hidden)
    assert talk.path == (1, 5)
    assert talk.chain_of(4) == (1, 4)
    circle = [Mark("a", 2, "link", "s t"), Mark("a", 3, "link", "t s")]
    assert line((1, "q", None), (4, "r", "t"), marks=circle).path == (1, 4)


def test_parents_in_a_circle_end() -> None:
    """A message that is its own ancestor is on the path once."""
    talk = line((0, "a", "b"), (1, "b", "a"), (2, "c", "c"))
    assert talk.path == (2,)
    assert talk.chain_of(0) == (0, 1)


def test_nothing_is_no_conversation() -> None:
    """A conversation without messages is missing."""
    with pytest.raises(ConversationMissing, match="no conversation a"):
        line(marks=[Mark("a", 0, "rename", "空")])


def test_a_title_is_the_last_one_given() -> None:
    """The last title counts; an empty one gives the first words again."""
    assert title_of([Mark("a", 1, "rename", "旧"), Mark("a", 2, "rename", "新")], "开头") == "新"
    assert title_of([Mark("a", 1, "rename", "旧"), Mark("a", 2, "rename", "")], "开头") == "开头"
    assert title_of([Mark("a", 1, "star", "true")], "开头") == "开头"


def test_a_title_of_first_words_is_one_line_of_whole_characters() -> None:
    """Thirty characters at most, none of them cut in two, line ends become spaces."""
    assert title_of((), "一\u2028二\r\n三") == "一 二 三"
    assert title_of((), "天" * 29 + "👩‍👩‍👧说") == "天" * 29
    assert title_of((), "天" * 31) == "天" * 30
    assert len(title_of((), "\u0301" * 50)) == 30


def test_talks_are_made_once() -> None:
    """A talk is made again only when what it is made of changed, and the oldest make room."""
    talks, made = Talks(), list[str]()

    def ask(name: str, of: int) -> None:
        def make() -> Talk:
            made.append(name)
            return Talk(name, [(0, "q", None)], [])

        assert talks.of(name, of, make).conversation == name

    for name, of in (("a", 1), ("a", 1), ("a", 2), ("b", 1)):
        ask(name, of)
    assert made == ["a", "a", "b"]
    for i in range(TALKS_KEPT):
        ask(f"c{i}", 1)
    ask("c0", 1)
    ask("a", 2)
    assert made == ["a", "a", "b", *(f"c{i}" for i in range(TALKS_KEPT)), "a"]
