"""The head of a turn: stable bytes, and everything in its place."""

import pytest

from paramecium.chat.head import make_head
from paramecium.memories.profile import Told
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


TOLD = Told("你叫小草。", "<user_profile>\n爱雨。\n</user_profile>", "<recent_days>\n下雨。\n</recent_days>")


@pytest.mark.parametrize(("language", "sentence"), [("zh", "正在和阿南说话"), ("en", "talking with 阿南")])
def test_the_persona_by_hand_takes_the_place_of_the_built_in_sentence(language: str, sentence: str) -> None:
    """What explains the lines of the gateway stands all the same; without one the built-in sentence does."""
    known = settings(language=language)
    by_hand, built_in = (make_head(known, told, tools=[])["system"][0]["text"] for told in (TOLD, Told()))
    assert by_hand.startswith("你叫小草。\n\n")
    assert sentence in built_in
    assert sentence not in by_hand
    assert built_in.partition("\n\n")[2] == by_hand.removeprefix("你叫小草。\n\n").removesuffix("\n\n" + TOLD.known)


def test_persona_and_profile_then_the_clients_text_then_the_last_two_days() -> None:
    """Each is a block of its own, none of them empty, in this order."""
    texts = [b["text"] for b in make_head(settings(), TOLD, client_system="规则", tools=[RECALL])["system"]]
    assert texts[0].endswith(TOLD.known)
    assert texts[1:] == ["规则", TOLD.recent]
    assert len(make_head(settings(), TOLD, tools=[])["system"]) == 2
    assert len(make_head(settings(), TOLD._replace(recent=""), tools=[])["system"]) == 1


def test_an_absent_persona_leaves_the_profile() -> None:
    """Where the client brings a persona of its own, what is known of the person stands before it."""
    head = make_head(settings(persona="absent"), TOLD, client_system="规则", tools=[RECALL])
    assert [b["text"] for b in head["system"]] == [TOLD.known, "规则", TOLD.recent]


@pytest.mark.parametrize(("language", "words"), [("zh", ("标题", "[事实 …]")), ("en", ("titles of notes", "[fact …]"))])
def test_the_lines_beside_the_words_are_explained(language: str, words: tuple[str, str]) -> None:
    """Facts are always explained, the menu where there is a tool that can open what it lists."""
    texts = [make_head(settings(language=language), tools=tools)["system"][0]["text"] for tools in ([RECALL], [])]
    assert [[word in text for word in words] for text in texts] == [[True, True], [False, True]]
