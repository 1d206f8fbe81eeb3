"""What of the documents stands in the head: bounded, marked, the same bytes for the same day."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.documents import CUT, Document, Documents, beginning
from paramecium.memories.front_matter import document
from paramecium.memories.profile import UNTOLD, told_of
from paramecium.settings import Settings

TODAY = date(2026, 6, 12)
NAMES = Settings(person="阿{ai}南", ai="小{person}草")


def doc(path: str, text: str) -> Document:
    """Returns a document."""
    return document(path, text.encode())


def test_each_part_of_the_profile_stands_in_its_place() -> None:
    """The persona gets the names, the others stand each in a mark of its own with the words as they are."""
    profile = Documents(
        doc("profile/persona.md", "你叫{ai}，{person}叫你{name}。\n"),
        doc("profile/user.md", "喜欢雨。{ai}\n\n"),
        doc("profile/relationship.md", "十年的朋友。"),
    )
    told = told_of(profile, NAMES, TODAY)
    assert told.persona == "你叫小{person}草，阿{ai}南叫你{name}。"
    assert told.known == (
        "<user_profile>\n喜欢雨。{ai}\n</user_profile>\n\n<relationship>\n十年的朋友。\n</relationship>"
    )
    assert told.recent == ""


def test_what_is_blank_is_not_told() -> None:
    """No documents, or blank ones, tell nothing at all."""
    one = doc("profile/user.md", " \n\u3000")
    blank = Documents(one, one, one, diary=(doc("diary/2026-06-11.md", "\n"),))
    assert told_of(Documents(), NAMES, TODAY) == told_of(blank, NAMES, TODAY) == UNTOLD


def test_diary_and_memos_of_the_two_days_before_today() -> None:
    """The newest three entries and two memos of yesterday and the day before, in their order; today is left out."""
    days = ("2026-06-09", "2026-06-10", "2026-06-11", "2026-06-12")
    diary = tuple(doc(f"diary/{day} {i}.md", f"日记{day}{i}") for day in days for i in (1, 2))
    memos = (*(doc(f"memos/{day}.md", f"备忘{day}") for day in days), doc("memos/无日期.md", "备忘"))
    recent = told_of(Documents(diary=diary, memos=memos), NAMES, TODAY).recent
    assert recent == (
        "<recent_days>\n[2026-06-10 日记]\n日记2026-06-102\n\n[2026-06-11 日记]\n日记2026-06-111\n\n"
        "[2026-06-11 日记]\n日记2026-06-112\n\n[2026-06-10 备忘]\n备忘2026-06-10\n\n[2026-06-11 备忘]\n备忘2026-06-11\n"
        "</recent_days>"
    )


def test_long_entries_are_cut_and_marked() -> None:
    """800 characters of an entry and 400 of a memo, then the mark that says so."""
    recent = told_of(
        Documents(diary=(doc("diary/2026-06-11.md", "雨" * 900),), memos=(doc("memos/2026-06-11.md", "茶" * 401),)),
        Settings(language="en"),
        TODAY,
    ).recent
    assert (recent.count("雨"), recent.count("茶"), recent.count(CUT)) == (800, 400, 2)
    assert "[2026-06-11 diary]\n雨" in recent
    assert "[2026-06-11 memo]\n茶" in recent


@given(st.text(), st.integers(1, 12))
def test_a_beginning_is_what_it_says(text: str, chars: int) -> None:
    """It is the text itself where that is short enough, else a beginning of it within the limit, and a mark."""
    told = beginning(text, chars)
    whole = text.strip()
    assert told == whole if len(whole) <= chars else whole.startswith(told.removesuffix(CUT)) and told.endswith(CUT)
    assert len(told) <= chars + 1


def test_a_cut_halves_no_family() -> None:
    """A character of several code points stays whole, unless it alone is over the limit."""
    family = "👨‍👩‍👧"
    assert beginning("雨天" + family + "晴", 5) == "雨天…"
    assert beginning("e" + "\u0301" * 50, 10) == "e" + "\u0301" * 9 + CUT


ENTRIES = st.tuples(st.dates(date(2026, 6, 8), date(2026, 6, 13)), st.text(st.characters(exclude_categories=["Cs"])))


@given(st.lists(ENTRIES, max_size=8))
def test_the_same_documents_and_day_give_the_same_characters(entries: list[tuple[date, str]]) -> None:
    """Whatever order they come in, what is told is the same, and only of the two days before."""
    docs = tuple(doc(f"diary/{day} {i}.md", f"d{text}") for i, (day, text) in enumerate(entries))
    told = told_of(Documents(diary=docs), NAMES, TODAY)
    assert told == told_of(Documents(diary=docs[::-1]), NAMES, TODAY)
    assert not any(f"[2026-06-{day} 日记]\nd" in told.recent for day in ("08", "09", "12", "13"))
    assert bool(told.recent) == any(date(2026, 6, 10) <= day < TODAY for day, _ in entries)
