"""`paramecium recall` over the sample life, with the real embedding model."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from paramecium.messages import dump_json
from tests.cli.process import Ended, paramecium

WINDOW_KEYS = ["text", "conversation", "title", "date", "score", "pieces"]
PIECE_KEYS = ["message", "n", "start", "end"]
HOSTILE: tuple[dict[str, str], ...] = (
    {"COLUMNS": "20", "TERM": "xterm-256color", "FORCE_COLOR": "1"},
    {"LANG": "C", "LC_ALL": "C"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "gbk:strict"},
)


def recall(life: Path, *arguments: str, env: dict[str, str] | None = None) -> Ended:
    """Recalls in the folder above the life's."""
    return paramecium("--data", life, "recall", *arguments, cwd=life.parent, env=env)


def windows(life: Path, *arguments: str) -> list[dict[str, Any]]:
    """Returns the windows of a recall that is told as JSON."""
    done = recall(life, *arguments, "--json")
    assert done.code == 0, done.err
    document = done.json
    assert list(document) == ["memories", "windows"]
    assert document["memories"] == []
    found: list[dict[str, Any]] = document["windows"]
    return found


def is_word_for_word(window: dict[str, Any], messages: dict[str, str]) -> bool:
    """Tells whether the text is the slices of the archive's own messages, one after the other."""
    pieces = window["pieces"]
    words = "".join(messages[p["message"]][p["start"] : p["end"]] for p in pieces)
    return bool(words) and str(window["text"]) == words


@pytest.mark.parametrize("arguments", [("奶茶",), ("猫几斤了",), ("灯塔", "--exact"), ("小满", "--n", "50")])
def test_every_window_is_the_archive_s_own_words(
    arguments: tuple[str, ...], life: Path, messages: dict[str, str]
) -> None:
    """The document has exactly these fields, and each text is the concatenation of exact slices of messages."""
    found = windows(life, *arguments)
    assert found
    for window in found:
        assert list(window) == WINDOW_KEYS
        assert [list(p) for p in window["pieces"]] == [PIECE_KEYS] * len(window["pieces"])
        assert is_word_for_word(window, messages)
        assert re.fullmatch(r"2026-\d\d-\d\d", window["date"])
        assert window["title"]


def test_the_answer_is_found_by_meaning(life: Path) -> None:
    """The question of the README brings the decision up first."""
    assert "我决定以后奶茶就喝乌龙轻乳茶了" in windows(life, "我后来决定奶茶就喝哪一种了？")[0]["text"]


def test_dates_close_in_from_both_sides(life: Path) -> None:
    """--after and --before hold, both days included, and together leave what lies between."""
    everything = {w["date"] for w in windows(life, "砚台", "--exact", "--n", "50")}
    assert min(everything) < "2026-06-12" < max(everything)
    after = {w["date"] for w in windows(life, "砚台", "--exact", "--n", "50", "--after", "2026-06-12")}
    before = {w["date"] for w in windows(life, "砚台", "--exact", "--n", "50", "--before", "2026-06-12")}
    assert after == {d for d in everything if d >= "2026-06-12"}
    assert before == {d for d in everything if d <= "2026-06-12"}
    day = max(everything)
    one_day = windows(life, "砚台", "--after", day, "--before", day)
    assert {w["date"] for w in one_day} == {day}


def test_a_conversation_is_named_by_either_id(life: Path) -> None:
    """The original id of the imported file and our own give the same."""
    own = windows(life, "疫苗")[0]["conversation"]
    by_own = windows(life, "砚台", "--conversation", own)
    assert by_own == windows(life, "砚台", "--conversation", "0305-scanner")
    assert {w["conversation"] for w in by_own} == {own}
    missing = recall(life, "砚台", "--conversation", "nobody")
    assert (missing.code, missing.out) == (1, "")
    assert "nobody" in missing.sentence()


def test_n_bounds_the_windows(life: Path) -> None:
    """--n gives at most so many windows, 5 by itself, and a person is told that there is more."""
    assert [len(windows(life, "砚台", *n)) for n in ((), ("--n", "1"), ("--n", "3"))] == [5, 1, 3]
    assert "there is more; a larger --n" in recall(life, "砚台", "--exact", "--n", "1").err


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("茶", "--after", "gestern"), "after"),
        (("茶", "--before", "2026-02-30"), "before"),
        (("茶", "--after", "2026-06-02", "--before", "2026-06-01"), "after"),
        (("茶", "--n", "0"), "n is 0"),
        (("茶", "--n", "51"), "n is 51"),
        (("",), "query"),
        ((" \n",), "query"),
        (("茶" * 3000,), "query"),
    ],
)
def test_bad_input_names_its_field(arguments: tuple[str, ...], field: str, life: Path) -> None:
    """What cannot be asked is refused with exit code 2, naming the field, also with --json."""
    for more in ((), ("--json",)):
        done = recall(life, *arguments, *more)
        assert (done.code, done.out) == (2, "")
        assert field in done.sentence()


def test_nothing_found_is_said(life: Path) -> None:
    """Nothing found is no error: an empty document, or a sentence with what to try."""
    assert windows(life, "曲率引擎", "--exact") == []
    done = recall(life, "曲率引擎", "--exact")
    assert (done.code, done.out) == (0, "")
    assert "nothing was found; try " in done.err


def test_a_person_reads_date_title_and_names(life: Path) -> None:
    """Without --json each window has a line with date, title and conversation, and each message its speaker."""
    done = recall(life, "乌龙轻乳茶", "--exact")
    assert re.match(r"\[2026-06-12 · 周五夜里 · x-[0-9a-f]+\]\n", done.out)
    assert "\n林夏 (2026-06-12 23:47): 我决定以后奶茶就喝乌龙轻乳茶了\n" in done.out
    assert done.err == ""


@pytest.mark.parametrize("env", HOSTILE)
def test_the_surroundings_change_nothing(env: dict[str, str], life: Path) -> None:
    """Both forms have the same bytes whatever terminal, locale or encoding is set."""
    plain = recall(life, "🐈‍⬛", "--exact")
    assert "🐈‍⬛" in plain.out
    assert recall(life, "🐈‍⬛", "--exact", env=env).stdout == plain.stdout
    document = recall(life, "🐈‍⬛", "--exact", "--json", env=env)
    assert "🐈‍⬛" in document.out
    assert "\\u" not in document.out
    assert document.json["windows"]


def test_half_a_character_and_a_nul_are_given_back(tmp_path: Path) -> None:
    """A lone surrogate, NUL, U+2028 and CR in a message come back: in JSON as they are, to a person all the same."""
    text = "半个\ud83d字符\x00和\u2028行\r分"
    line = dump_json({"id": "c", "title": "\ud83d", "messages": [{"role": "user", "content": text}]})
    (tmp_path / "f.jsonl").write_bytes(line + b"\n")
    assert paramecium("import", "f.jsonl", cwd=tmp_path).code == 0
    done = paramecium("recall", "半个", "--exact", "--json", cwd=tmp_path)
    assert [w["text"] for w in done.json["windows"]] == [text]
    assert json.loads(done.stdout)["windows"][0]["title"] == "\ud83d"
    shown = paramecium("recall", "半个", "--exact", cwd=tmp_path)
    assert (shown.code, shown.err) == (0, "")
    assert "半个\\ud83d字符\x00和\u2028行\r分" in shown.out
    assert paramecium("ingest", cwd=tmp_path).code == 0
    assert paramecium("recall", "半个", "--exact", "--json", cwd=tmp_path).json == done.json


def test_a_damaged_index_is_told(copy: Path) -> None:
    """With a broken segment what is left is searched, and a person hears that something may be missing."""
    for segment in copy.glob("derived/main/index/segments/*.vectors"):
        segment.write_bytes(b"broken")
    done = recall(copy, "乌龙", "--json")
    assert done.code == 0
    assert "`paramecium rebuild` makes it anew" in done.err
    assert list(done.json) == ["memories", "windows"]
