"""A part that is built on first use, by whichever thread comes first, and then kept.

Invariant: of one part there is one object, however many threads ask for it at once.
"""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Building:
    """Holds the parts an object has built, behind one lock that a part in building may take again."""

    def __init__(self) -> None:
        self.built: dict[str, Any] = {}
        self.lock = threading.RLock()


class BuiltOnce(Generic[T]):
    """Turns a method of a `Building` into an attribute that is built on first use."""

    def __init__(self, build: Callable[[Any], T]) -> None:
        self._build = build
        self._name = build.__name__
        self.__doc__ = build.__doc__

    def __get__(self, holder: Building, _owner: type | None = None) -> T:
        """Returns the part, built if it was not yet."""
        with holder.lock:
            if self._name not in holder.built:
                holder.built[self._name] = self._build(holder)
            part: T = holder.built[self._name]
            return part
