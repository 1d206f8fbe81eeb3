"""What a run of the extract job did, in counts: no word of a talk stands in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from paramecium.messages import Json


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """Counts what a run did.

    `messages` were read in `calls` questions; `added` memories are new, `already` noted ones came again, `superseded`
    and `revived` earlier ones. `dropped` counts by reason (see memories.extraction), `set_aside` batches given up,
    `unchecked` new memories not compared with earlier ones. `waiting` counts messages by why they were not read (limit,
    silence, failed, or elsewhere: another worker reads them). `failed` says why the model did not answer, `unreadable`
    of each conversation that could not be read why.
    """

    calls: int = 0
    messages: int = 0
    added: int = 0
    already: int = 0
    superseded: int = 0
    revived: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    set_aside: int = 0
    unchecked: int = 0
    waiting: Mapping[str, int] = field(default_factory=dict)
    calls_left: int = 0
    failed: str | None = None
    unreadable: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Returns the report as JSON."""
        names = ("calls", "messages", "added", "already", "superseded", "revived")
        counts: Json = {name: getattr(self, name) for name in names}
        return counts | {
            "dropped": dict(self.dropped),
            "set_aside": self.set_aside,
            "unchecked": self.unchecked,
            "waiting": dict(self.waiting),
            "calls_left": self.calls_left,
            "failed": self.failed,
            "unreadable": list(self.unreadable),
        }

    def line(self) -> str:
        """Returns one line of the counts that are not 0, "" when nothing was done."""
        names = ("calls", "messages", "added", "already", "superseded", "revived", "set_aside", "unchecked")
        counts = [f"{name} {number}" for name in names if (number := getattr(self, name))]
        counts += [f"{name} {_by_reason(found)}" for name in ("dropped", "waiting") if (found := getattr(self, name))]
        return ", ".join([*counts, *([f"failed: {self.failed}"] if self.failed else [])])


def _by_reason(counts: Mapping[str, int]) -> str:
    return f"{sum(counts.values())} ({', '.join(f'{reason} {n}' for reason, n in sorted(counts.items()))})"
