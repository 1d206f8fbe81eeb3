"""A writer that is killed at any moment leaves whole objects, and nobody waiting."""

import random
from pathlib import Path

from paramecium import clock
from paramecium.store.local import LocalStore
from tests.store.racer import is_whole, sealed, start

KILLS = 16
MOMENT_MAX_S = 0.008


def killed_after(where: Path, worker: int, steps: int, moment_s: float) -> None:
    """Starts a writer and kills it a moment after the write it says it begins, behind so many others."""
    process = start("write", worker, str(where), {})
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        for _ in range(1 + steps):
            assert process.stdout.readline()
        clock.wait(moment_s)
    finally:
        process.kill()
        process.communicate()


def test_a_killed_writer_leaves_whole_objects(tmp_path: Path) -> None:
    """After sixteen kills every object is whole, created and replaced alike, and can be replaced again."""
    dice = random.Random(11)
    for worker in range(KILLS):
        killed_after(tmp_path, worker, dice.randrange(8, 16), dice.uniform(0, MOMENT_MAX_S))
    store = LocalStore(tmp_path)
    keys = list(store.list(""))
    assert len(keys) > KILLS * 2
    for key in keys:
        assert is_whole(store.get(key).body), key
    for key in store.list("derived/main/replaced/"):
        store.replace(key, sealed("after"), store.get(key).version)
        assert is_whole(store.get(key).body)


def test_the_check_sees_what_is_not_whole() -> None:
    """A body cut short or changed in one byte is told from a whole one."""
    body = sealed("x")
    assert is_whole(body)
    assert not is_whole(body[:-1])
    assert not is_whole(body[:-1] + b"?")
    assert not is_whole(b"")
