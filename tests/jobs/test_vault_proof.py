"""Verify over documents: each stands in the index as the archive keeps it, and what waits is no problem."""

from dataclasses import replace
from pathlib import Path

from paramecium.index.manifest import manifest_to
from paramecium.messages import dump_json
from paramecium.store import keys
from tests.jobs.hand import DIARY, FACT, MEMO
from tests.jobs.lives import manifest_of, put
from tests.jobs.test_vault_ingest import life_with_documents


def test_what_was_changed_by_hand_since_waits(tmp_path: Path) -> None:
    """A changed, a new and a removed document are three that wait, until the next ingest."""
    life, desk = life_with_documents(tmp_path)
    life.fts()
    assert life.verify().waiting == 0
    desk.write(DIARY, "改了。")
    desk.write("diary/2026-06-12.md", "新的一天。")
    desk.remove(FACT)
    report = life.verify()
    assert (report.waiting, report.problems) == (3, ())
    life.fts()
    assert (life.verify().waiting, life.verify().problems) == (0, ())


def test_a_kept_text_that_is_gone_or_damaged_is_the_archive_s(tmp_path: Path) -> None:
    """Both are named by path, and the index is not to be made anew for them."""
    life, _ = life_with_documents(tmp_path)
    vault = manifest_of(life.store).vault
    life.store.delete(keys.file("main", vault[FACT].sha256))
    put(life.store, keys.file("main", vault[MEMO].sha256), b"\xe6")
    report = life.verify()
    assert sorted(p.partition(":")[0] for p in report.problems) == [FACT, MEMO]
    assert (report.archive_problems, report.index_problems) == (2, 0)


def test_a_version_that_no_segment_holds_is_told(tmp_path: Path) -> None:
    """A manifest that names more than stands, or other words under a name, is found out."""
    life, _ = life_with_documents(tmp_path)
    manifest = manifest_of(life.store)
    lost = replace(manifest.vault[FACT], conversation="vault-" + "0" * 40)
    other = replace(manifest.vault[DIARY], sha256=manifest.vault[MEMO].sha256)
    wrong = replace(manifest, vault={**manifest.vault, FACT: lost, DIARY: other})
    put(life.store, keys.manifest("main"), dump_json(manifest_to(wrong)))
    problems = life.verify().problems
    assert any(lost.conversation in p and "covered and in no segment" in p for p in problems)
    assert any(other.conversation in p and "another in segment" in p for p in problems)
    assert any(manifest.vault[FACT].conversation in p and "not in the archive" in p for p in problems)


def test_another_name_of_the_person_is_no_problem(tmp_path: Path) -> None:
    """Who wrote a document is as it was when it came in."""
    life, _ = life_with_documents(tmp_path)
    life.by_hand = False
    assert life.verify().problems == ()
