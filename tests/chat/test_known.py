"""What stands before the model already, found in the entries of a path."""

from typing import Any

from paramecium.chat.known import Known, known_of
from paramecium.chat.rounds import keep
from paramecium.messages import Entry, Json
from tests.chat.fakes_chat import Piece


def answer(ident: str, *pieces: Piece) -> Entry:
    """Returns an answer for which something was recalled."""
    rounds: list[Json] = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "recall", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "好"}]},
    ]
    return Entry(ident, 1, role="assistant", text="好", rounds=keep(rounds, {(1, 0): pieces}))


def quote(message: str, start: int, end: int, **more: Any) -> Piece:
    """Returns a piece of an old talk."""
    return Piece("话", {"conversation": "x-old", "message": message, "n": 0, "start": start, "end": end, **more})


def asked(ident: str, given: Any = None) -> Entry:
    """Returns a question of three characters."""
    return Entry(ident, 0, role="user", text="在吗？", given=given)


def test_an_empty_path_knows_nothing() -> None:
    """A new talk has nothing before it."""
    assert known_of("c", ()) == Known()


def test_what_was_listed_opened_and_said_is_known() -> None:
    """Ids of menus, memories opened (newest last), messages of the path whole, recalled pieces as they are."""
    path = (
        asked("q1", {"text": "", "menu": [{"id": "a", "lanes": []}, {"id": "b", "lanes": []}]}),
        answer("a1", Piece("甲：\n"), quote("m1", 2, 5), quote("m1", 9, 12, memory="b"), quote("m2", 0, 1, memory="c")),
        asked("q2", {"text": "", "menu": [{"id": "d", "lanes": []}]}),
        answer("a2", quote("m1", 9, 12, memory="b")),
    )
    known = known_of("c", path)
    assert (known.listed, known.recalled) == (frozenset("abd"), ("c", "b"))
    assert known.seen == {
        ("c", "q1"): ((0, 3),),
        ("c", "a1"): ((0, 1),),
        ("x-old", "m1"): ((2, 5), (9, 12), (9, 12)),
        ("x-old", "m2"): ((0, 1),),
        ("c", "q2"): ((0, 3),),
        ("c", "a2"): ((0, 1),),
    }


def test_of_a_fact_the_text_last_given_is_known() -> None:
    """A later text takes the place of an earlier one."""
    facts = [[{"path": "facts/茶.md", "sha256": sha}, {"path": f"facts/{sha}.md", "sha256": sha}] for sha in ("1", "2")]
    path = [asked(f"q{i}", {"text": "", "facts": given}) for i, given in enumerate(facts)]
    assert known_of("c", path).facts == {"facts/茶.md": "2", "facts/1.md": "1", "facts/2.md": "2"}


def test_what_is_not_understood_is_not_known() -> None:
    """A form of given that nobody here writes stops no turn."""
    strange: list[Any] = [None, {}, {"menu": 3, "facts": None}, {"menu": ["x", [1]], "facts": {"path": "p"}}]
    known = known_of("c", [asked(f"q{i}", given) for i, given in enumerate(strange)])
    assert (known.listed, known.facts, len(known.seen)) == (frozenset(), {}, 4)


def test_the_menu_has_the_room_the_words_leave_it() -> None:
    """A new talk has room for a whole menu; what was given takes it away, and words give some of theirs back."""
    assert known_of("c", ()).room == 150
    said = Entry("m-1", 0, role="user", text="字" * 1000, given={"text": "记" * 100})
    assert known_of("c", (said,)).room == 150 + int(0.08 * 1100) - 100
    long = Entry("m-1", 0, role="user", text="字" * 10_000, given={"text": "记" * 100})
    assert known_of("c", (long,)).room == int(0.14 * 10_100) - 100
    crowded = Entry("m-2", 1, role="user", text="嗯", given={"text": "记" * 400})
    assert known_of("c", (crowded,)).room == 0
