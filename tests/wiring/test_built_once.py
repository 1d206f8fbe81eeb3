"""Parts built on first use."""

import threading

import pytest

from paramecium.wiring.built_once import Building, BuiltOnce


class Workshop(Building):
    """Builds two parts, of which one needs the other, slowly enough for threads to meet."""

    def __init__(self) -> None:
        super().__init__()
        self.builds: list[str] = []
        self.gate = threading.Barrier(8)

    @BuiltOnce
    def engine(self) -> object:
        """Is a part."""
        self.builds.append("engine")
        return object()

    @BuiltOnce
    def car(self) -> list[object]:
        """Is a part that needs the engine."""
        self.builds.append("car")
        return [self.engine]

    @BuiltOnce
    def broken(self) -> object:
        """Is a part that cannot be built the first time."""
        self.builds.append("broken")
        if self.builds.count("broken") == 1:
            raise OSError("not now")
        return object()


def test_threads_get_one_object() -> None:
    """Eight threads that ask at once get the same object, and it was built once, with what it needs."""
    workshop = Workshop()
    seen: list[object] = []

    def ask() -> None:
        workshop.gate.wait()
        seen.append(workshop.car)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(part) for part in seen}) == 1
    assert seen[0] == [workshop.engine]
    assert workshop.builds == ["car", "engine"]


def test_a_part_that_failed_is_tried_again() -> None:
    """An error is no part: the next who asks builds anew."""
    workshop = Workshop()
    with pytest.raises(OSError, match="not now"):
        _ = workshop.broken
    assert workshop.broken is workshop.broken
    assert workshop.builds == ["broken", "broken"]


def test_holders_are_apart() -> None:
    """Two holders have two parts."""
    assert Workshop().engine is not Workshop().engine
