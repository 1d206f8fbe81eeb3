"""What a manifest says of documents: read as it was written, and never dropped while a segment holds it."""

from dataclasses import replace
from pathlib import Path

import pytest

from paramecium.errors import Damaged
from paramecium.index.manifest import VaultName, broken, manifest_from, manifest_to
from paramecium.messages import Json, dump_json, load_json
from tests.index.test_manifest import FULL, KEY

GOLDEN = Path(__file__).parents[1] / "formats" / "manifest" / "v1-vault.json"
DIARY, TEA = "diary/2026-06-11.md", "facts/茶.md"
ONE, TWO, OLD = (f"vault-{digit * 40}" for digit in "120")
WITH = replace(FULL, vault={DIARY: VaultName(ONE, "cd" * 32), TEA: VaultName(TWO, "ef" * 32)}, dead=(OLD,))


def test_documents_are_read_and_written() -> None:
    """The golden file is this manifest, in both directions, byte for byte."""
    assert manifest_from(load_json(GOLDEN.read_bytes()), KEY) == WITH
    assert dump_json(manifest_to(WITH)) + b"\n" == GOLDEN.read_bytes()


def test_without_documents_a_manifest_does_not_speak_of_them() -> None:
    """Its bytes are those it had before there were any."""
    assert not {"vault", "dead"} & set(manifest_to(FULL))
    assert set(manifest_to(WITH)) == {*manifest_to(FULL), "vault", "dead"}


def test_the_numbers_of_all_that_segments_hold() -> None:
    """Each document, dead or not, is covered up to its one message."""
    assert WITH.covered == {"c1": 12, "x-春": 3, ONE: 1, TWO: 1, OLD: 1}
    assert FULL.covered == FULL.coverage.conversations


def test_a_version_is_never_forgotten_while_it_is_held() -> None:
    """It may be replaced when it is dead from then on, and whatever is dead may be cleared."""
    new = replace(WITH, generation=8, vault={TEA: WITH.vault[TEA]}, dead=(OLD, ONE))
    assert broken(WITH, new) == []
    assert broken(WITH, replace(WITH, generation=8, dead=())) == []
    forgotten = replace(new, dead=())
    assert [DIARY in sentence for sentence in broken(WITH, forgotten)] == [True]
    assert broken(WITH, forgotten, rebuilt=True) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"vault": []},
        {"vault": {DIARY: {"conversation": ONE}}},
        {"vault": {DIARY: {"conversation": ONE, "sha256": "cd"}}},
        {"vault": {DIARY: {"conversation": "../x", "sha256": "cd" * 32}}},
        {"vault": {DIARY: {"conversation": "c1", "sha256": "cd" * 32}}},
        {"vault": {DIARY: {"conversation": OLD, "sha256": "cd" * 32}}},
        {"dead": [1]},
        {"dead": [OLD, OLD]},
    ],
)
def test_what_cannot_be_is_damage(wrong: Json) -> None:
    """A name twice, one of a talk, one that is no id, or no hash is refused by the manifest's key."""
    with pytest.raises(Damaged, match=KEY):
        manifest_from({**manifest_to(WITH), **wrong}, KEY)
