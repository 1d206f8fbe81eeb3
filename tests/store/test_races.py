"""Eight processes at once on one store: no increment is lost, and of each contested create one wins."""

from pathlib import Path

import pytest

from paramecium.store import record
from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from tests.seaweed import Seaweed
from tests.store.racer import CONTESTED, COUNTER, INCREMENTS, WORKERS, open_store, race

Place = tuple[str, dict[str, str], ObjectStore]


@pytest.fixture(params=["local", "seaweed"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Gives where the store is, the environment its processes need, and the store."""
    if request.param == "local":
        return str(tmp_path), {}, LocalStore(tmp_path)
    server: Seaweed = request.getfixturevalue("seaweed")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    where = f"s3://{server.new_bucket()}"
    return where, server.environment, open_store(where)


def test_no_increment_is_lost(place: Place) -> None:
    """1,200 increments by eight processes make 1,200, and as many generations."""
    where, environment, store = place
    race("increment", where, environment)
    counted = record.read(store, COUNTER)
    assert counted.value["count"] == counted.generation == WORKERS * INCREMENTS


def test_each_contested_create_has_one_winner(place: Place, tmp_path: Path) -> None:
    """300 keys that eight processes create have 300 winners, whose bytes stand, and nothing is left over."""
    where, environment, store = place
    won = [line for printed in race("create", where, environment) for line in printed.split("\n") if line]
    assert len(won) == CONTESTED
    assert sorted(won) == [store.get(key).body.decode() for key in store.list("main/contested/")]
    left = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_relative_to(tmp_path / "main")]
    assert left == []
