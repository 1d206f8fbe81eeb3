"""The head of a turn and what is placed beside its words: stable bytes, absolute dates."""

from datetime import UTC, datetime

import pytest

from paramecium.chat.given import make_given
from paramecium.chat.head import make_head
from paramecium.messages import dump_json
from tests.chat.fakes_chat import RECALL, settings


@pytest.mark.parametrize(("language", "word"), [("zh", "引文"), ("en", "quotation")])
def test_tells_who_is_who_and_that_recalled_words_are_data(language: str, word: str) -> None:
    """Both names stand in it, braces and all, and recalled words are explained where there is a tool for them."""
    known = settings(language=language, person="阿{ai}南", ai="小{草}")
    head = make_head(known, tools=[RECALL])
    text = head["system"][0]["text"]
    assert head["tools"] == [RECALL]
    assert word in text
    assert "小{草}" in text
    assert word not in make_head(known, tools=[])["system"][0]["text"]


def test_the_same_settings_give_the_same_bytes_without_any_date() -> None:
    """Nothing in the head moves: two makings are equal to the byte, and no year stands in it (D3 47)."""
    first, second = (dump_json(make_head(settings(), tools=[RECALL])) for _ in range(2))
    assert first == second
    assert b"202" not in first


def test_a_clients_own_text_stands_behind_the_persona_or_in_its_place() -> None:
    """ "always" keeps both, "absent" only the client's; without a client's text the persona always stands."""
    always, absent = settings(), settings(persona="absent")
    texts = [[b["text"] for b in make_head(s, client_system="规则", tools=[])["system"]] for s in (always, absent)]
    assert (len(texts[0]), texts[0][1], texts[1]) == (2, "规则", ["规则"])
    assert make_head(absent, tools=[]) == make_head(always, tools=[])


@pytest.mark.parametrize(
    ("language", "zone", "line"),
    [
        ("zh", "Asia/Shanghai", "[2026-06-13 星期六 农历四月廿八 00:30]"),
        ("en", "Asia/Shanghai", "[2026-06-13 Saturday lunar 4-28 00:30]"),
        ("en", "America/New_York", "[2026-06-12 Friday lunar 4-27 12:30]"),
    ],
)
def test_the_clock_line_is_local_and_absolute(language: str, zone: str, line: str) -> None:
    """Date, weekday and time are those of the settings' zone."""
    moment = datetime(2026, 6, 12, 16, 30, tzinfo=UTC)
    assert make_given(settings(language=language, timezone=zone), moment) == {"text": line}
