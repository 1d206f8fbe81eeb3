"""`paramecium import`: files come in, and what cannot come in is named."""

import json
from pathlib import Path

from tests.cli.conftest import SAMPLE
from tests.cli.process import at_a_terminal, paramecium

GOOD = {"id": "a", "title": "早", "messages": [{"role": "user", "content": "早安，砚台"}]}
OTHER = {"id": "b", "messages": [{"role": "user", "content": "晚安，砚台"}]}


def test_a_second_import_adds_nothing(copy: Path) -> None:
    """The same file again finds every message there; nothing goes to standard output."""
    done = paramecium("import", SAMPLE, cwd=copy.parent)
    assert (done.code, done.out) == (0, "")
    assert "18 conversations: 0 messages new, 228 there already" in done.err


def test_json_is_the_whole_report(tmp_path: Path) -> None:
    """--json prints one document with every count."""
    done = paramecium("import", SAMPLE, "--json", cwd=tmp_path)
    counts = {"conversations": 18, "messages": 228, "added": 228, "already": 0, "refused": [], "waiting": 228}
    counts |= {"undated": 0, "beside": 0}
    assert (done.code, done.json) == (0, counts)


def test_a_bad_line_is_named_and_the_rest_comes_in(tmp_path: Path) -> None:
    """The exit code is 1, the line's number is told, also with --json, and its neighbours are found."""
    lines = [json.dumps(GOOD, ensure_ascii=False), "{broken", "", json.dumps(OTHER, ensure_ascii=False)]
    (tmp_path / "f.jsonl").write_text("\n".join(lines), "utf-8")
    done = paramecium("import", "f.jsonl", "--json", cwd=tmp_path)
    assert done.code == 1
    assert (done.json["added"], len(done.json["refused"])) == (2, 1)
    assert done.json["refused"][0].startswith("line 2: ")
    assert "  refused: line 2: " in done.err
    assert "all other lines came in" in done.err
    found = paramecium("recall", "砚台", "--exact", "--json", cwd=tmp_path).json["windows"]
    assert {w["text"] for w in found} == {"早安，砚台", "晚安，砚台"}


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A missing file, a folder, or a file of another kind: one sentence, exit code 2, no archive begun."""
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\n" * 2000)
    for name, told in (("no.jsonl", "No such file"), (".", "directory"), ("photo.jpg", "not a file of JSON lines")):
        done = paramecium("import", name, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert told in done.sentence()
    assert [p.name for p in tmp_path.iterdir()] == ["photo.jpg"]


def test_an_empty_file_is_no_error(tmp_path: Path) -> None:
    """Nothing to import is nothing imported."""
    (tmp_path / "f.jsonl").write_bytes(b"")
    done = paramecium("import", "f.jsonl", cwd=tmp_path)
    assert done.code == 0
    assert "0 conversations: 0 messages new" in done.err


def test_progress_is_for_a_person_who_looks(tmp_path: Path) -> None:
    """At a terminal a bar moves, with the file's own name; in a pipe nothing of it is written."""
    name = "[red]life.jsonl"
    (tmp_path / name).write_bytes(SAMPLE.read_bytes())
    code, screen = at_a_terminal("import", name, cwd=tmp_path, typed=[])
    assert code == 0
    assert "import [red]life.jsonl" in screen.replace("\r", "").replace("\n", "")
    assert "100%" in screen
    assert "%" not in paramecium("import", name, cwd=tmp_path).err


def test_lives_are_apart(tmp_path: Path) -> None:
    """What is imported into one life is not found in another; jobs without --life go over all of the configuration."""
    (tmp_path / "f.jsonl").write_text(json.dumps(GOOD, ensure_ascii=False), "utf-8")
    config = '[[clients]]\nname = "p"\ntoken = "a-token"\nlife = "work"\n'
    (tmp_path / "paramecium.toml").write_text(config, "utf-8")
    (tmp_path / "paramecium.toml").chmod(0o600)
    assert paramecium("--life", "work", "import", "f.jsonl", cwd=tmp_path).code == 0
    assert paramecium("--life", "main", "verify", "--json", cwd=tmp_path).json["waiting"] == 0
    assert paramecium("verify", "--json", cwd=tmp_path).json["waiting"] == 1
    assert paramecium("ingest", "--json", cwd=tmp_path).json["messages"] == 1
    assert paramecium("recall", "砚台", "--json", cwd=tmp_path).json["windows"] == []
    assert len(paramecium("--life", "work", "recall", "砚台", "--json", cwd=tmp_path).json["windows"]) == 1


def test_a_file_of_another_kind_is_told_in_a_few_lines(tmp_path: Path) -> None:
    """Of many lines that are none the first are shown, and it is said that nothing came in."""
    (tmp_path / "notes.md").write_text("# 笔记\n" * 90, "utf-8")
    done = paramecium("import", "notes.md", cwd=tmp_path)
    assert done.code == 1
    assert done.err.count("refused: line") == 10
    assert "and 80 more" in done.err
    assert "nothing came in: this is no file of JSON Lines" in done.err


def test_what_came_in_changed_or_undated_is_told(tmp_path: Path) -> None:
    """An edited message and a date that cannot be read are each said in a line of their own."""
    messages = [{"id": "1", "role": "user", "content": "周一见", "at": "昨天"}]
    messages.append({"id": "2", "role": "user", "content": "周一开会"})
    first = {"id": "a", "messages": messages}
    (tmp_path / "f.jsonl").write_text(json.dumps(first, ensure_ascii=False) + "\n", "utf-8")
    assert "1 date could not be read" in paramecium("import", "f.jsonl", cwd=tmp_path).err
    messages[1]["content"] = "周二开会"
    (tmp_path / "f.jsonl").write_text(json.dumps(first, ensure_ascii=False) + "\n", "utf-8")
    assert "1 message edited since" in paramecium("import", "f.jsonl", cwd=tmp_path).err
