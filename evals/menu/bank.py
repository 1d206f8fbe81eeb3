"""Reads MemoryBank's Chinese chats, 15 persons over ten days, as conversations of one life.

Knows the form {person: {"history": {"YYYY-MM-DD": [{"query", "response"}, …]}}}; keeps nothing of the file. The file
has days and no hours: each person gets an hour of the day, so that a day of the life runs from person to person.
Invariant: a file of another form gives no conversation at all, only what is wrong and where the file can be had.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from paramecium.errors import BadInput
from paramecium.messages import Json, load_json

NAME: Final = "memory_bank_cn.json"
WHERE: Final = "https://github.com/zhongwanjun/MemoryBank-SiliconFriend, eval_data/cn/memory_bank_cn.json (MIT)"
_MORNING_HOUR: Final = 8
_PERSON_APART: Final = timedelta(minutes=50)
_TURN_APART: Final = timedelta(minutes=3)
_REPLY_AFTER: Final = timedelta(minutes=1)
_OFFSET: Final = "+08:00"


def read_bank(path: Path) -> list[Json]:
    """Returns the conversations, one a person and day, in the form `paramecium import` takes.

    `path` may be its folder. Raises BadInput naming the file, what is wrong in it, and where it can be had.
    """
    path = path / NAME if path.is_dir() else path
    try:
        return list(_conversations(_object(load_json(path.read_bytes()), "the file")))
    except (OSError, BadInput) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{path} is not {NAME}: {said}; it can be had at {WHERE}") from error


def _conversations(bank: Json) -> Iterator[Json]:
    if not bank:
        raise BadInput("nobody is in it")
    for place, (person, raw) in enumerate(bank.items()):
        history = _object(_object(raw, person).get("history"), f"the history of {person}")
        for day, said in history.items():
            begun = _morning(person, day) + place * _PERSON_APART
            messages = list(_messages(f"{person} on {day}", said, begun))
            yield {"id": f"{person} {day}", "title": f"{person} {day}", "messages": messages}


def _messages(where: str, said: object, begun: datetime) -> Iterator[Json]:
    if not isinstance(said, list):
        raise BadInput(f"what was said by {where} is no list")
    for i, raw in enumerate(said):
        pair = _object(raw, f"turn {i + 1} of {where}")
        at = begun + i * _TURN_APART
        for name, role, moment in (("query", "user", at), ("response", "assistant", at + _REPLY_AFTER)):
            if not isinstance(pair.get(name), str):
                raise BadInput(f"turn {i + 1} of {where} has no {name}")
            yield {"role": role, "content": pair[name], "at": moment.isoformat()}


def _morning(person: str, day: str) -> datetime:
    try:
        return datetime.fromisoformat(f"{day}T{_MORNING_HOUR:02d}:00:00{_OFFSET}")
    except ValueError as error:
        raise BadInput(f"a day of {person} is no date: {day!r:.40}") from error


def _object(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise BadInput(f"{where} is no JSON object")
    return value
