"""`ingest`, `fts`, `verify` and `rebuild`: the index kept, proved and made anew."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SAMPLE
from tests.cli.process import Ended, paramecium


def run(copy: Path, *arguments: str) -> Ended:
    """Runs a command over a copy of the sample life."""
    return paramecium("--data", copy, *arguments, cwd=copy.parent)


def objects(folder: Path) -> dict[str, bytes]:
    """Returns every canonical file with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.glob("main/**/*") if p.is_file()}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Gives a life of three conversations, with its index and full text."""
    (tmp_path / "s.jsonl").write_bytes(b"\n".join(SAMPLE.read_bytes().split(b"\n")[:3]))
    for command in (("import", "s.jsonl"), ("fts",)):
        assert paramecium(*command, cwd=tmp_path).code == 0
    return tmp_path / "data"


def test_a_clean_life_verifies(life: Path) -> None:
    """Everything is there: exit code 0, four fields, no problem, and nothing was changed."""
    before = objects(life)
    done = run(life, "verify", "--json")
    assert (done.code, done.json) == (0, {"entries": 228, "passages": 229, "waiting": 0, "problems": []})
    assert done.err.endswith("everything is as it was said\n")
    assert run(life, "verify").out == ""
    assert objects(life) == before


def test_words_that_wait_are_no_problem(tmp_path: Path) -> None:
    """Before the first ingest everything waits, and verify is content."""
    assert paramecium("import", SAMPLE, cwd=tmp_path).code == 0
    done = paramecium("verify", "--json", cwd=tmp_path)
    assert (done.code, done.json) == (0, {"entries": 228, "passages": 0, "waiting": 228, "problems": []})


def test_ingest_and_fts_tell_what_they_did(tmp_path: Path) -> None:
    """Both print one document; a second run finds nothing to do."""
    (tmp_path / "f.jsonl").write_bytes(b"".join(SAMPLE.read_bytes().split(b"\n")[0:1]))
    assert paramecium("import", "f.jsonl", cwd=tmp_path).code == 0
    first, second = (paramecium("ingest", "--json", cwd=tmp_path) for _ in range(2))
    assert first.json["messages"] > 0
    assert first.json["passages"] >= first.json["messages"]
    assert f"new in the index: {first.json['messages']} messages, {first.json['passages']} passages" in first.err
    assert second.json == {"messages": 0, "passages": 0, "unreadable": [], "renewed": False, "documents": 0}
    built, again = (paramecium("fts", "--json", cwd=tmp_path) for _ in range(2))
    counts = {"messages": first.json["messages"], "found": 0, "removed": 0, "unreadable": []}
    assert built.json == {**counts, "built": True}
    assert again.json == {**built.json, "built": False}


def test_changed_words_are_found_out(copy: Path) -> None:
    """One character changed in the archive: exit code 1, the place is named, also with --json."""
    block = next(
        p for p in sorted(copy.glob("main/archive/conversations/*/*.json")) if "乌龙轻乳茶" in p.read_text("utf-8")
    )
    block.write_text(block.read_text("utf-8").replace("乌龙轻乳茶", "茉莉轻乳茶"), "utf-8")
    done = run(copy, "verify", "--json")
    assert done.code == 1
    assert list(done.json) == ["entries", "passages", "waiting", "problems"]
    assert any(block.parent.name in problem for problem in done.json["problems"])
    assert "  wrong: " in done.err
    assert "put these files back from a copy, and do not rebuild before" in done.err


def test_an_unreadable_conversation_is_named_and_the_rest_goes_on(small: Path) -> None:
    """A broken block stops neither ingest nor rebuild, but the exit code is 1 and its conversation is named."""
    extra = small.parent / "f.jsonl"
    extra.write_text(json.dumps({"id": "n", "messages": [{"role": "user", "content": "新的一天"}]}), "utf-8")
    block = min(small.glob("main/archive/conversations/*/*.json"))
    block.write_bytes(b"[broken")
    assert run(small, "import", str(extra)).code == 0
    done = run(small, "rebuild", "--json")
    assert done.code == 1
    assert any(block.parent.name in name for name in done.json["unreadable"])
    assert "cannot be read, and was left out" in done.err
    assert run(small, "fts", "--json").code == 1
    assert [w["text"] for w in run(small, "recall", "新的一天", "--exact", "--json").json["windows"]] == ["新的一天"]
    assert run(small, "verify").code == 1


def test_many_problems_are_cut_for_a_person(copy: Path) -> None:
    """A person reads fifty problems and how many more there are; --json lists them."""
    for block in copy.glob("main/archive/conversations/*/*.json"):
        entries: list[dict[str, Any]] = json.loads(block.read_bytes())
        block.write_text(json.dumps([{**e, "text": e["text"] + "改"} for e in entries], ensure_ascii=False), "utf-8")
    done = run(copy, "verify", "--json")
    assert len(done.json["problems"]) > 50
    assert done.err.count("  wrong: ") == 50
    assert f"and {len(done.json['problems']) - 50} more; --json lists them" in done.err


def test_rebuild_gives_the_same_recall(small: Path) -> None:
    """With all that is derived deleted, a rebuild from the archive alone answers as before."""
    asked = ("recall", "猫多重了", "--json")
    before, words = run(small, *asked).json, objects(small)
    for path in sorted(small.glob("derived/**/*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    lost = run(small, *asked).json
    assert lost != before
    assert run(small, "rebuild").code == 0
    assert run(small, *asked).json == before
    assert objects(small) == words
    assert run(small, "verify").code == 0


def test_a_missing_model_says_what_to_do(life: Path, tmp_path: Path) -> None:
    """Without the embedding model the command that needs it names the one that makes it."""
    for command in (("ingest",), ("rebuild",), ("fts",)):
        done = paramecium("--data", life, *command, cwd=tmp_path, env={"PARAMECIUM_MODEL": str(tmp_path)})
        assert done.code == 1
        assert "`make setup`" in done.sentence()
