"""A life of which notes are taken, and a small model as a function: what the tests of the extract job share."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from paramecium.archive.conversations import Archive
from paramecium.errors import UpstreamError
from paramecium.jobs.extract_memories import extract
from paramecium.jobs.extract_parts import Extractor, OffPath
from paramecium.jobs.extract_report import ExtractReport
from paramecium.memories.events import Note
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import State, fold
from paramecium.messages import Entry, Json, Role
from paramecium.settings import Settings, settings_from
from paramecium.store import keys, record
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from paramecium.upstream.small_reply import SmallAnswer
from tests.fakes import FixedClock

ROLES: tuple[Role, Role] = ("user", "assistant")
CANDIDATE = re.compile(r"m-[0-9a-f]{24}")
THINGS = (
    "豆包最喜欢吃小鱼干和鸡肉冻干",
    "阿月周末想去山上看一看红叶",
    "老家的桂花又开了满院子都香",
    "妈妈说今年冬天要包荠菜饺子",
)


def settings(calls_per_day: int = 500) -> Settings:
    """Returns settings with a small model."""
    account = {"name": "s", "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "models": ["m"]}
    small = {"account": "s", "model": "m", "calls_per_day": calls_per_day}
    return settings_from({"person": "阿月", "accounts": [account], "small_model": small}, "test")


def quotes_of(words: str) -> str:
    """Returns the answer of a faithful model: a note on each of the last five lines of ten characters and more."""
    lines = [line for line in words.split("\n") if len(line) >= 10 and "§" not in line]
    return json.dumps([{"date": "", "content": line[:40], "quote": line[:40]} for line in lines[-5:]])


def updates(words: str) -> str:
    """Returns the answer of a model to whom every earlier memory has changed."""
    ids = dict.fromkeys(CANDIDATE.findall(words))
    return json.dumps([{"id": i, "relation": "updates", "confidence": 0.9, "reason": "改了"} for i in ids])


@dataclass
class Model:
    """Answers by its functions, or with the next of its plans: a text, or an error; keeps what it was asked."""

    plans: list[str | Exception] = field(default_factory=list)
    note: Callable[[str], str] = quotes_of
    compare: Callable[[str], str] = updates
    asked: list[str] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)

    def ask(self, system: str, text: str) -> SmallAnswer:
        """Answers."""
        is_comparison = CANDIDATE.search(text) is not None
        (self.compared if is_comparison else self.asked).append(text)
        plan = self.plans.pop(0) if self.plans else None
        if isinstance(plan, Exception):
            raise plan
        told = (self.compare if is_comparison else self.note)(text)
        return SmallAnswer(told if plan is None else plan, "end_turn", {}, "small-s")


class Away(Model):
    """Is a model that cannot be reached."""

    def ask(self, system: str, text: str) -> SmallAnswer:
        """Fails."""
        self.asked.append(text)
        raise UpstreamError("the connection to 127.0.0.1:9 failed: ConnectError")


@dataclass
class Noted:
    """Is a store with a life in it of which notes are taken."""

    store: ObjectStore = field(default_factory=RamStore)
    now: FixedClock = field(default_factory=FixedClock)
    model: Model = field(default_factory=Model)
    settings: Settings = field(default_factory=settings)
    off_path: dict[str, Any] = field(default_factory=dict)
    kept: int = 0

    @property
    def archive(self) -> Archive:
        """Returns the archive."""
        return Archive(self.store, "main", now=self.now)

    def say(self, conversation: str, *texts: str, parent: str | None = "", **fields: Any) -> list[Entry]:
        """Appends messages behind the newest one (or behind `parent`), one block each."""
        stood = [entry for block in self.archive.blocks(conversation) for entry in block]
        before = parent if parent != "" else next((e.id for e in reversed(stood) if e.kind == "message"), None)
        said: list[Entry] = []
        for i, text in enumerate(texts, len(stood)):
            at = self.now().isoformat()
            entry = Entry(f"{conversation}-{i}", 0, parent=before, role=ROLES[i % 2], at=at, text=text, **fields)
            said += self.archive.append(conversation, [entry], i)
            before = entry.id
        return said

    def bring(self, conversation: str, *texts: str, at: str = "2023-01-01T10:00:00+08:00") -> None:
        """Appends messages as an import does: in one block, with their source."""
        drafts = [
            Entry(
                f"{conversation}-{i}", 0, parent=f"{conversation}-{i - 1}" if i else None,
                role="assistant" if i % 2 else "user", at=at, text=text, source={"client": "import"},
            )
            for i, text in enumerate(texts)
        ]  # fmt: skip
        self.archive.append(conversation, drafts, 0)

    def extractor(self, store: ObjectStore | None = None, **more: Any) -> Extractor:
        """Returns what a fresh process works with."""
        store = store or self.store
        ledger = Ledger(store, "main")
        states = [State()]

        def state() -> State:
            states[0] = fold(states[0], ledger.read(states[0].upto))
            return states[0]

        given: dict[str, Any] = {
            "model": self.model,
            "settings": self.settings,
            "state": state,
            "similar": lambda notes: similar(state(), notes),
            "remember": self._remember,
            "now": self.now,
        }
        return Extractor(store, "main", Archive(store, "main", now=self.now), ledger, **(given | more))

    def extract(self, store: ObjectStore | None = None, **more: Any) -> ExtractReport:
        """Runs the job as a fresh process does."""
        return extract(self.extractor(store, **more))

    def state(self) -> State:
        """Returns the fold of the ledger."""
        return fold(State(), Ledger(self.store, "main").read())

    def contents(self) -> list[str]:
        """Returns what the memories say, in the order they were added."""
        return [memory.note.content for memory in self.state().memories.values()]

    def cursor(self) -> Json:
        """Returns the cursor as it stands."""
        return record.read(self.store, keys.cursor("main", "extract")).value

    def _remember(self, off_path: OffPath) -> None:
        self.off_path |= off_path
        self.kept += 1


def similar(state: State, notes: Sequence[Note]) -> list[list[Note]]:
    """Returns for each note the others that begin with the same two characters."""
    stand = [memory.note for memory in state.memories.values()]
    return [[n for n in stand if n.id != note.id and n.content[:2] == note.content[:2]] for note in notes]


def folded(state: State) -> dict[str, Any]:
    """Returns what a fold says of its memories, without moments that differ from run to run."""
    return {ident: memory._replace(added_at="") for ident, memory in state.memories.items()}
