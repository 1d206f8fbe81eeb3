"""Documents beside the talks: found like them, searched alone when named, and no conversation of any list."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from paramecium.errors import ConversationMissing
from paramecium.jobs import ingest
from paramecium.jobs.indexer import Indexer
from paramecium.messages import Json
from tests.jobs.hand import DIARY, FACT, WORDS, Desk, vault, written
from tests.recall.lives import Life


@pytest.fixture(params=[False, True], ids=["young", "built"])
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Life:
    """Returns a life with talks and documents, with a full text or without."""
    life = Life(tmp_path)
    life.say("hu", "我们去湖边走走吧", "好呀，去看水鸟", at="2026-06-10T09:00:00+08:00")
    written(life.store)
    ingest.ingest(_with_vault(life))
    if request.param:
        life.build()
    return life


def _with_vault(life: Life) -> Indexer:
    return replace(life.indexer(), vault=vault(life.store))


def _conversation(life: Life, path: str) -> str:
    return life.views.view().manifest.vault[path].conversation


def test_documents_and_talks_are_found_together(life: Life) -> None:
    """One question brings up both, and the windows keep to one document each."""
    found = life.find("湖边", exact=True).windows
    assert {w.title for w in found} == {"diary/2026-06-11", "我们去湖边走走吧"}
    assert all(len(w.pieces) == 1 for w in found if w.title.startswith("diary/"))
    assert WORDS[DIARY] in life.texts("湖边走了很久，水面上有两只水鸟")


def test_a_named_document_is_searched_alone(life: Life) -> None:
    """Its id, given as the conversation, limits a query to it."""
    conversation = _conversation(life, DIARY)
    for exact in (False, True):
        found = life.find("湖边", conversation=conversation, exact=exact).windows
        assert {w.conversation for w in found} == {conversation}
    assert life.find("凤凰单丛", conversation=conversation, exact=True).windows == ()


def test_days_limit_documents_too(life: Life) -> None:
    """A diary entry is of its day, a fact without a date of none."""
    day = date(2026, 6, 11)
    assert [w.title for w in life.find("湖边", exact=True, after=day, before=day).windows] == ["diary/2026-06-11"]
    assert life.find("凤凰单丛", exact=True, after=day).windows == ()


def test_no_list_of_conversations_names_a_document(life: Life) -> None:
    """Neither as it is nor as it was."""
    assert [line["id"] for line in life.catalogue.list()] == ["hu"]
    Desk(life.store).write(DIARY, "改了。")
    ingest.ingest(_with_vault(life))
    assert [line["id"] for line in life.catalogue.list()] == ["hu"]


def test_the_tool_shows_title_and_date(life: Life) -> None:
    """A document stands in an answer like a talk, its path for a title, its words as references to the kept text."""
    answer = life.recall.answer({"query": "䴙䴘", "exact": True})
    conversation = _conversation(life, DIARY)
    assert f"[2026-06-11 · diary/2026-06-11 · conv_id={conversation}]\n阿月 (2026-06-11 00:00): " in answer.text
    (words,) = [part for part in answer.parts if part.words]
    said: Json = words.words or {}
    assert (said["message"], said["n"]) == (life.views.view().manifest.vault[DIARY].sha256, 0)
    assert words.text == WORDS[DIARY][said["start"] : said["end"]] == WORDS[DIARY]


def test_an_earlier_version_is_found_by_no_way(life: Life) -> None:
    """By meaning, words, characters or its id: nothing of it, as soon as the new one is in."""
    old = _conversation(life, DIARY)
    assert life.find("䴙䴘", exact=True).windows
    assert old in {w.conversation for w in life.find("䴙䴘").windows}
    Desk(life.store).write(DIARY, "整理了一天旧照片。")
    ingest.ingest(_with_vault(life))
    assert old in life.views.view().dead
    assert old in {c for s in life.views.view().segments for c in s.conversations}
    assert life.find("䴙䴘", exact=True).windows == ()
    assert old not in {w.conversation for w in life.find("䴙䴘", n=50).windows}
    assert [w.title for w in life.find("旧照片", exact=True).windows] == ["diary/2026-06-11"]
    with pytest.raises(ConversationMissing):
        life.find("䴙䴘", conversation=old)


def test_many_dead_versions_take_nobody_s_place(life: Life) -> None:
    """However many earlier versions resemble the question, the present one is the first."""
    desk = Desk(life.store)
    for i in range(120):
        desk.write(FACT, f"{WORDS[FACT]}（第{i}稿）")
        ingest.ingest(_with_vault(life))
    view = life.views.view()
    assert len(view.dead) == 120
    found = [w.text for w in life.find(WORDS[FACT], n=5).windows]
    assert found[0] == f"{WORDS[FACT]}（第119稿）"
    assert not any("稿" in text for text in found[1:])
