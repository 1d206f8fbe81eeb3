"""Lives a life again, turn by turn, with the product's menu beside every message, and keeps what was listed and opened.

A note is there from the day after its words were said. What was given and what was opened stands in the entries of the
talk as the product stores it, so what is known already is known by the product's own rule; what the persona opened goes
into the ledger with the context of its moment. Invariant: nothing of the life to come is there before its day.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from evals.menu.house import PERSONA, House
from evals.menu.life import SETTINGS, Lived, Taken, Turn
from evals.menu.persona import Persona
from evals.menu.talk import long_talk, small_talk_lines, small_talk_lines_after
from paramecium.chat.afterglow import Afterglow, context_of
from paramecium.chat.beside import occasion_of
from paramecium.chat.given import make_given
from paramecium.chat.known import known_of
from paramecium.index.embedder import Embedding
from paramecium.memories.events import Note, Recalled
from paramecium.memories.tokens import estimated_tokens
from paramecium.messages import Entry, Json
from paramecium.recall.menu import Line, Menu, Occasion
from paramecium.settings import Lane

Progress = Callable[[int, int], None]
TIMED_EVERY: Final = 8
PROBED_AT: Final = datetime.fromisoformat("2026-09-01T20:00:00+08:00")


class Listed(NamedTuple):
    """Is one line of one menu, whether the persona opened it, and when."""

    line: Line
    opened: bool
    at: datetime


@dataclass(slots=True)
class Replayed:
    """Is what became of a life: the lines of its menus, and for each turn the tokens given beside it and said in it.

    `hits` counts the probes whose answer is listed at the end, `ms` is the time each lane took alone. `small_talk` and
    `small_talk_after` are lines a message of small talk lists, by itself and after a reply of the life.
    """

    listed: list[Listed] = field(default_factory=list)
    given_tokens: list[int] = field(default_factory=list)
    said_tokens: list[int] = field(default_factory=list)
    hits: int = 0
    small_talk: float = 0.0
    small_talk_after: float = 0.0
    ms: dict[Lane, list[float]] = field(default_factory=dict)


class Replay:
    """Lives one life with some of the lanes."""

    def __init__(self, life: Lived, embedder: Embedding, folder: Path, lanes: tuple[Lane, ...]) -> None:
        self._life, self._lanes = life, lanes
        self._notes = {note.id: note for note in life.notes}
        self._settings = SETTINGS.model_copy(update={"lanes": lanes})
        self._house = House(embedder, self._settings, folder)
        self._afterglow = Afterglow(lambda: embedder)
        said = (entry.text for turn in life.turns for entry in (turn.question, turn.answer) if entry is not None)
        self._persona = Persona({i: note.content for i, note in self._notes.items()}, said)
        self._paths: dict[str, list[Entry]] = {}
        self._waiting = list(reversed(life.taken))
        self._out = Replayed()

    def run(self, progress: Progress, *, timed: bool = False) -> Replayed:
        """Returns what was listed and opened; with `timed`, every eighth menu is also made by each lane alone."""
        alone = {lane: self._house.menus((lane,)) for lane in self._lanes} if timed else {}
        self._out.ms = {lane: [] for lane in alone}
        today: date | None = None
        for i, turn in enumerate(self._life.turns):
            if turn.at.date() != today:
                today = turn.at.date()
                self._begin_day(today, turn.at)
            occasion = self._occasion(turn)
            menu = self._house.offer(occasion)
            for lane, menus in alone.items() if i % TIMED_EVERY == 0 else ():
                begun = perf_counter()
                menus.offer(occasion)
                self._out.ms[lane].append((perf_counter() - begun) * 1000)
            self._take(turn, menu)
            progress(i + 1, len(self._life.turns))
        self._out.hits = self._hits()
        self._out.small_talk = small_talk_lines(self._house)
        turns = self._life.turns
        self._out.small_talk_after = small_talk_lines_after(self._house, self._afterglow, self._settings.ai, turns)
        return self._out

    def talk(self) -> Replayed:
        """Returns what is listed in a talk of 200 turns, held when the life has been lived."""
        lived, self._out = self._out, Replayed()
        for turn in long_talk(self._life.turns):
            self._take(turn, self._house.offer(self._occasion(turn)))
        talked, self._out = self._out, lived
        return talked

    def _begin_day(self, today: date, at: datetime) -> None:
        passed: list[Taken] = []
        while self._waiting and self._waiting[-1].day < today:
            passed.append(self._waiting.pop())
        self._house.note([what for taken in passed for what in taken.whats], at)
        self._house.keep()

    def _occasion(self, turn: Turn) -> Occasion:
        path = self._paths.setdefault(turn.conversation, [])
        return occasion_of(turn.question.text, turn.at, turn.conversation, path, known_of(turn.conversation, path))

    def _take(self, turn: Turn, menu: Menu) -> None:
        path = self._paths[turn.conversation]
        question = replace(turn.question, given=make_given(self._settings, turn.at, path, (), menu))
        opened = self._open(turn, menu)
        path.append(question)
        if turn.answer is not None:
            glow = self._afterglow.of(self._settings.ai, turn.answer.text)
            rounds = _rounds([self._notes[ident] for ident in opened])
            path.append(replace(turn.answer, afterglow=glow.numbers, more=glow.more, rounds=rounds))
        said = turn.question.text + (turn.answer.text if turn.answer is not None else "")
        self._out.listed += [Listed(line, line.id in opened, turn.at) for line in menu.lines]
        self._out.given_tokens.append(estimated_tokens((question.given or {})["text"]))
        self._out.said_tokens.append(estimated_tokens(said))

    def _open(self, turn: Turn, menu: Menu) -> tuple[str, ...]:
        reply = turn.answer.text if turn.answer is not None else ""
        opened = self._persona.opens([line.id for line in menu.lines], turn.question.text, reply)
        if opened:
            context = context_of(menu.context, menu.model)
            asked = turn.question.id
            what = Recalled(opened, (), turn.question.text, turn.conversation, asked, asked, context)
            self._house.note([what], turn.at, PERSONA)
        return opened

    def _hits(self) -> int:
        """Asks the probes when all has passed, each at the beginning of a talk."""
        self._begin_day(date.max, PROBED_AT)
        menus = (self._house.offer(Occasion(probe.text, PROBED_AT)) for probe in self._life.probes)
        return sum(
            any(line.id in probe.right for line in menu.lines)
            for probe, menu in zip(self._life.probes, menus, strict=True)
        )


def share(given: Sequence[int], said: Sequence[int]) -> float:
    """Returns the share of the tokens given in all that stand in a transcript."""
    return sum(given) / max(sum(given) + sum(said), 1)


def _rounds(notes: Sequence[Note]) -> tuple[Json, ...]:
    """Returns what an answer keeps of the tool's results: where each quote stands, and of which memory it is."""
    if not notes:
        return ()
    parts = [
        {"conversation": n.conversation, "message": n.message, "n": n.n, "start": n.start, "end": n.end, "memory": n.id}
        for n in notes
    ]
    content = {"type": "recalled", "parts": parts, "sha256": ""}
    return ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "", "content": content}]},)
