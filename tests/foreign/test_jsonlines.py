"""Reading JSON lines: each line is one conversation or one reason why it is none."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paramecium.errors import BadLine
from paramecium.foreign import jsonlines
from paramecium.foreign.jsonlines import Foreign, read_jsonlines
from paramecium.messages import dump_json

# A busy machine is no failure: examples are counted, not timed.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _line(*messages: Any, **fields: Any) -> bytes:
    return dump_json({"id": "旧-1", "title": "猫", "messages": list(messages)} | fields) + b"\n"


def _m(content: Any = "在吗", role: Any = "user", **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content} | fields


def _one(*messages: Any, **fields: Any) -> Foreign:
    (found,) = read_jsonlines([_line(*messages, **fields)])
    assert isinstance(found, Foreign), found
    return found


def _hung(*messages: Any) -> list[int | None]:
    return [m.before for m in _one(*messages).messages]


def test_a_whole_conversation_is_read_as_it_stands() -> None:
    """Every field arrives, fields that nobody asked for included."""
    told = _one(
        _m("我的猫叫豆包", id="a", at="2024-05-01T10:00:00+08:00", speaker="阿月", likes=2),
        _m("真可爱\r\n", "assistant", id="b", parent="a", at=1714528860, speaker="小草"),
        tags=["宠物"],
    )
    first, second = told.messages
    assert (told.line, told.id, told.title, told.extra) == (1, "旧-1", "猫", {"tags": ["宠物"]})
    assert (first.id, first.role, first.text, first.speaker, first.extra) == (
        "a",
        "user",
        "我的猫叫豆包",
        "阿月",
        {"likes": 2},
    )
    assert (first.at_raw, second.at_raw) == ("2024-05-01T10:00:00+08:00", 1714528860)
    assert (second.parent, second.before, second.text) == ("a", 0, "真可爱\r\n")


def test_lines_end_at_lf_and_crlf_only() -> None:
    """CRLF, empty lines, a byte order mark and a last line without end are understood; U+2028 ends no line."""
    lines = [
        b"\xef\xbb\xbf" + _line(_m("一")),
        b"\r\n",
        b"\n",
        _line(_m("二\u2028\x85三")).replace(b"\n", b"\r\n"),
        _line(_m("四"))[:-1],
    ]
    told = [f for f in read_jsonlines(lines) if isinstance(f, Foreign)]
    assert [(f.line, f.messages[0].text) for f in told] == [(1, "一"), (4, "二\u2028\x85三"), (5, "四")]


@CALM
@given(st.lists(st.text(st.characters()), min_size=1, max_size=4))
def test_any_text_is_read_as_it_was_written(texts: list[str]) -> None:
    """Whatever JSON can say arrives character for character, escaped or not."""
    expected = [json.loads(json.dumps(t)) for t in texts]
    escaped = json.dumps({"id": "1", "messages": [_m(t) for t in texts]}).encode() + b"\n"
    for line in (_line(*[_m(t) for t in texts]), escaped):
        (told,) = read_jsonlines([line])
        assert isinstance(told, Foreign)
        assert [m.text for m in told.messages] == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (_line(_m("豆包"))[:-9], "not JSON"),
        (_line(_m("a")).replace(b'"a"', b'"\xe8\xb1"'), "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "messages is no list"),
        (_line(messages={}), "messages is no list"),
        (_line(_m(), title=5), "title that is no string"),
        (_line(_m(), id=["x"]), "id that is no string"),
        (_line(_m(), "嗯"), "message 2 is no JSON object"),
        (_line(_m(), _m(role="tool", id="t9")), "message 2 ('t9') has the role 'tool'"),
        (_line({"content": "嗯"}), "message 1 has the role None"),
        (_line(_m(role=["user"])), "message 1 has the role"),
        (_line(_m(content=["嗯"])), "message 1 has a content that is no string"),
        (_line({"role": "user"}), "message 1 has a content that is no string"),
        (_line(_m(id=1.5)), "message 1 has a id that is no string"),
        (_line(_m(id="a"), _m(parent={})), "message 2 has a parent that is no string"),
        (_line(_m(speaker=3)), "message 1 has a speaker that is no string"),
        (_line(_m(id="a"), _m(id="b", parent="z")), "message 2 has an unknown parent 'z'"),
        (_line(_m(id="a", parent="a")), "circle"),
        (_line(_m(id="a", parent="c"), _m(id="b", parent="a"), _m(id="c", parent="b")), "circle"),
        (_line(_m(), mood=float("nan")), "not finite"),
        (b'{"messages":[{"role":"user","content":"x","at":1e999}]}', "not finite"),
        (b'{"messages":[],"deep":' + b"[" * 200 + b"]" * 200 + b"}", "nested deeper"),
    ],
)
def test_a_bad_line_says_why_and_the_rest_goes_on(line: bytes, reason: str) -> None:
    """The line between two good ones is refused with its number and reason; the good ones are read."""
    before, bad, after = read_jsonlines([_line(_m("一")), line, _line(_m("二"))])
    assert isinstance(before, Foreign)
    assert isinstance(after, Foreign)
    assert isinstance(bad, BadLine)
    assert bad.line == 2
    assert reason in bad.reason


def test_a_line_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of exactly the limit is read, one byte more is refused, ends of lines not counted."""
    line = _line(_m("豆包"))
    monkeypatch.setattr(jsonlines, "LINE_BYTES_MAX", len(line) - 1)
    assert isinstance(next(read_jsonlines([line[:-1] + b"\r\n"])), Foreign)
    monkeypatch.setattr(jsonlines, "LINE_BYTES_MAX", len(line) - 2)
    assert isinstance(next(read_jsonlines([line])), BadLine)


def test_without_parents_each_message_hangs_on_the_one_before() -> None:
    """No parent, or null everywhere, is a chain."""
    assert _hung(_m("一"), _m("二"), _m("三")) == [None, 0, 1]
    assert _hung(_m("一", parent=None), _m("二", parent=None)) == [None, 0]


def test_with_parents_null_is_another_beginning() -> None:
    """Where parents are named, null begins anew, and a message that names none follows the one before."""
    messages = (_m("一", id="a", parent=None), _m("二", id="b", parent="a"), _m("三", id="c", parent=None), _m("四"))
    assert _hung(*messages) == [None, 0, None, 2]


def test_siblings_and_parents_that_come_later() -> None:
    """Branches are kept, and a parent may stand further down the line."""
    tree = (
        _m("问", id="q"),
        _m("答", id="r", parent="q"),
        _m("再答", id="s", parent="q"),
        _m("谢", id="t", parent="r"),
    )
    assert _hung(*tree) == [None, 0, 0, 1]
    assert _hung(_m("二", id="b", parent="a"), _m("一", id="a", parent=None)) == [None, 0]


def test_an_id_that_comes_twice() -> None:
    """The same words under the same id are one message; other words are a sibling, which what follows hangs on."""
    same = _one(_m("问", id="q"), _m("答", id="r"), _m("答", id="r"), _m("谢", id="t"))
    assert [(m.text, m.before, m.position) for m in same.messages] == [("问", None, 0), ("答", 0, 1), ("谢", 1, 3)]
    assert _hung(_m("问", id="q"), _m("答", id="r"), _m("又答", id="r"), _m("谢", id="t")) == [None, 0, 0, 2]
    named = (_m("问", id="q"), _m("答", id="r"), _m("谢", id="t", parent="r"), _m("又答", id="r"), _m("好", parent="r"))
    assert _hung(*named) == [None, 0, 1, 0, 3]


def test_a_thousand_deep_is_no_recursion() -> None:
    """A chain far deeper than Python's stack is read, and so is a circle of that size."""
    chain = [_m("喵", id=f"{i}", parent=f"{i - 1}" if i else None) for i in range(20_000)]
    assert _hung(*chain)[-1] == 19_998
    (bad,) = read_jsonlines([_line(*chain[1:], chain[0] | {"parent": "19999"})])
    assert isinstance(bad, BadLine)


def test_ids_are_strings_or_whole_numbers() -> None:
    """A number is taken as its digits; an empty id is none."""
    told = _one(_m("问", id=7), _m("答", id="", parent=7), id=42)
    assert told.id == "42"
    assert [(m.id, m.before) for m in told.messages] == [("7", None), (None, 0)]


def test_a_conversation_without_id_gets_the_same_one_each_time() -> None:
    """Title and first message make the id: what is added behind does not change it, another beginning does."""
    first = _one(_m("一"), id=None)
    assert first.id == _one(_m("一"), _m("二"), id="").id
    assert len({first.id, _one(_m("一"), id=None, title="狗").id, _one(_m("二"), id=None).id, _one(id=None).id}) == 4
