"""Conflicts: whether a new memory tells otherwise than earlier ones, or the same again, and what follows from it.

Pure. Invariant: the later words win, whichever were noted first; what is pinned or retired is never superseded.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple, get_args

from paramecium.memories.conflicts_words import words_of
from paramecium.memories.events import Note, Revived, Superseded, What
from paramecium.memories.questions import Question, first_array, mark_for, stamp
from paramecium.memories.quotes import fold
from paramecium.memories.state import Memory, State
from paramecium.messages import encodable

CANDIDATES_MAX: Final = 10
CONFIDENCE_MIN: Final = 0.75
REASON_CHARS_MAX: Final = 200

Relation = Literal["contradicts", "updates", "repeats"]
_RELATIONS: Final[dict[str, Relation]] = {relation: relation for relation in get_args(Relation)}


class Verdict(NamedTuple):
    """Is what the model says of one earlier memory: how the new one relates to it, how surely (0 to 1), and why."""

    target_id: str
    relation: Relation
    confidence: float
    reason: str = ""


def ask(note: Note, candidates: Sequence[Note], *, language: str) -> Question:
    """Returns the question about a new note and the earlier ones most similar to it, of which 10 are shown."""
    words, shown = words_of(language), candidates[:CANDIDATES_MAX]
    mark = mark_for([encodable(text) for told in (note, *shown) for text in (told.content, told.quote)])
    lines = [words.before.format(mark=mark), _told(mark, words.new, note, words.quote)]
    lines += [_told(mark, earlier.id, earlier, words.quote) for earlier in shown]
    lines.append(f"{mark} {words.after}")
    return Question(words.system, encodable("\n\n".join(lines)))


def read_answer(answer: str, candidates: Sequence[Note]) -> tuple[Verdict, ...]:
    """Returns the verdicts of an answer, the first of each candidate; what cannot be read is none."""
    known = {candidate.id for candidate in candidates[:CANDIDATES_MAX]}
    verdicts: dict[str, Verdict] = {}
    for item in first_array(answer).items:
        verdict = _verdict(item)
        if verdict is not None and verdict.target_id in known:
            verdicts.setdefault(verdict.target_id, verdict)
    return tuple(verdicts.values())


def consequences(state: State, note: Note, verdicts: Sequence[Verdict]) -> tuple[What, ...]:
    """Returns the events that verdicts of 0.75 and more lead to (Superseded, Revived), 10 at most.

    Of two that do not agree the one said earlier is superseded, be it the new note. A memory said again, later than
    what superseded it, is revived.
    """
    told = state.memories.get(note.id, Memory(note))
    repeated = {v.target_id for v in verdicts if v.relation == "repeats" and v.confidence >= CONFIDENCE_MIN}
    out: dict[str, What] = {}
    follows: Superseded | Revived | None
    for verdict in verdicts[:CANDIDATES_MAX]:
        target = state.memories.get(verdict.target_id)
        if target is None or target.note.id == note.id or verdict.confidence < CONFIDENCE_MIN:
            continue
        if verdict.relation == "repeats" and state.standing(target) == "superseded":
            holder = state.holding(target)
            # What only stands behind another wording of the same is not brought back beside it.
            follows = None if holder and holder.note.id in repeated else _revived(state, target, note)
        else:
            follows = _loser(state, told, target, verdict)
        if follows is not None:
            out.setdefault(follows.memory, follows)
    return tuple(out.values())


def said_again(state: State, note: Note) -> tuple[What, ...]:
    """Returns what revives the superseded memories whose folded quote this later note says again, 10 at most."""
    quote = fold(note.quote)
    same = (
        m for m in state.memories.values() if m.superseded_by and m.note.id != note.id and fold(m.note.quote) == quote
    )
    return tuple(_known(_revived(state, memory, note) for memory in same))[:CANDIDATES_MAX]


def is_said_later(a: Note, b: Note) -> bool:
    """Tells whether the words of `a` were said after those of `b`: by their moments, then by their places.

    When a moment is unknown only two places of one conversation can be compared.
    """
    moments = _moment(a.said_at), _moment(b.said_at)
    places = (a.n, a.start), (b.n, b.start)
    if None in moments:
        return a.conversation == b.conversation and places[0] > places[1]
    return (moments[0], places[0]) > (moments[1], places[1])


def _loser(state: State, told: Memory, target: Memory, verdict: Verdict) -> Superseded | None:
    """Returns that the earlier of two memories gives way to the later; None when it may not, or neither is later."""
    if is_said_later(told.note, target.note):
        earlier, later = target, told
    elif is_said_later(target.note, told.note):
        earlier, later = told, target
    else:
        return None
    if state.standing(earlier) != "live" or later.retired:
        return None
    return Superseded(earlier.note.id, later.note.id, verdict.relation, verdict.confidence)


def _revived(state: State, memory: Memory, note: Note) -> Revived | None:
    """Returns that a superseded memory holds again, if the note was said later than what superseded it."""
    if state.standing(memory) != "superseded":
        return None
    later = is_said_later(note, state.memories[memory.superseded_by].note)
    return Revived(memory.note.id, by=note.id) if later else None


def _known(found: Iterable[Revived | None]) -> Iterable[Revived]:
    return (revived for revived in found if revived is not None)


def _verdict(item: Any) -> Verdict | None:
    if not isinstance(item, dict):
        return None
    target, named, confidence = item.get("id"), item.get("relation"), item.get("confidence")
    relation = _RELATIONS.get(named) if isinstance(named, str) else None
    if not isinstance(target, str) or relation is None:
        return None
    if not isinstance(confidence, int | float) or isinstance(confidence, bool) or not 0 <= confidence <= 1:
        return None
    reason = item.get("reason")
    return Verdict(target, relation, float(confidence), reason[:REASON_CHARS_MAX] if isinstance(reason, str) else "")


def _moment(at: str) -> datetime | None:
    """Returns a moment that can be compared; one without an offset is read as UTC."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _told(mark: str, name: str, note: Note, quote: str) -> str:
    at = stamp(note.said_at)
    return f"{mark} {name}{f' [{at}]' if at else ''}\n{note.content}\n{quote}{note.quote}"
