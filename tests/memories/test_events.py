"""Events: each comes back from its JSON as it was, and what is no event is told as damage."""

from typing import Any

import pytest
from hypothesis import given

from paramecium.errors import Damaged
from paramecium.memories.events import Added, Event, Later, Note, Pinned, Superseded, What, event_from, event_to
from paramecium.messages import dump_json, load_json
from tests.memories.event_lists import events_of, note, whats

BY = {"v": 1, "id": "e", "at": "", "by": "person", "why": ""}
PINNED: dict[str, Any] = BY | {"kind": "Pinned", "what": {"memory": "m-1"}}
ADDED: dict[str, Any] = BY | {"kind": "Added", "what": note("m-1")._asdict()}
RECALLED: dict[str, Any] = BY | {
    "kind": "Recalled",
    "what": {
        "memories": ["m-1"],
        "windows": [],
        "query": "",
        "conversation": "",
        "turn": "",
        "message": "",
        "context": None,
    },
}


def altered(raw: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Returns the form with other fields of its kind."""
    return raw | {"what": raw["what"] | fields}


@given(whats)
def test_an_event_survives_its_json(what: What) -> None:
    """Whatever happened, the event comes back equal from its bytes, and these from it."""
    (event,) = events_of(what)
    body = dump_json(event_to(event))
    assert event_from(load_json(body)) == event
    assert dump_json(event_to(event_from(load_json(body)))) == body


@pytest.mark.parametrize("raw", [PINNED, RECALLED, ADDED])
def test_the_forms_altered_below_are_events(raw: dict[str, Any]) -> None:
    """As they stand they are read."""
    assert event_from(raw).id == "e"


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {k: v for k, v in PINNED.items() if k != "v"},
        PINNED | {"what": {}},
        {k: v for k, v in PINNED.items() if k != "why"},
        PINNED | {"v": 2},
        PINNED | {"id": "../etc"},
        PINNED | {"id": 7},
        PINNED | {"kind": None},
        PINNED | {"kind": ["Pinned"]},
        altered(PINNED, memory=None),
        PINNED | {"at": 1700000000},
        altered(RECALLED, memories="m-1"),
        altered(RECALLED, memories=[["m-1"]]),
        altered(RECALLED, memories=[None]),
        altered(RECALLED, windows=["w"]),
        altered(RECALLED, context="AQ=="),
        ADDED | {"what": None},
        ADDED | {"what": []},
        ADDED | {"what": {}},
        altered(ADDED, start="0"),
        altered(ADDED, n=True),
        altered(ADDED, id="M 1"),
        altered(ADDED, quote=None),
    ],
)
def test_what_is_no_event_is_damaged(raw: dict[str, Any]) -> None:
    """A JSON object that is no event of version 1 is told as damage, never as a crash."""
    with pytest.raises(Damaged):
        event_from(raw)


@pytest.mark.parametrize("confidence", [float("nan"), float("inf"), 10**400, True, "1"])
def test_a_confidence_is_a_finite_number(confidence: Any) -> None:
    """What is none is damage."""
    raw = event_to(events_of(Superseded("m-1", "m-2", "updates", 1.0))[0])
    assert event_from(altered(raw, confidence=0)).what == Superseded("m-1", "m-2", "updates", 0.0)
    with pytest.raises(Damaged):
        event_from(altered(raw, confidence=confidence))


def test_a_kind_of_a_later_version_is_kept_whole() -> None:
    """It is read as Later with all its fields, and written as it came."""
    raw = {"v": 1, "id": "e", "at": "", "by": "x", "why": "", "kind": "Merged", "what": {"by": ["m-1"]}, "x": None}
    assert event_from(raw) == Event("e", "", "x", Later("Merged", {"what": {"by": ["m-1"]}, "x": None}))
    assert event_to(event_from(raw)) == raw
    assert list(event_to(event_from(raw))) == list(raw)


def test_a_note_written_before_a_field_was_known_is_read() -> None:
    """The eight fields without a default are enough, and an unknown one is passed over."""
    short = Note("m-1", "内容", "原话", "c", "m", 0, 0, 2)
    known = {name: value for name, value in short._asdict().items() if value != ""}
    assert len(known) == 8
    assert event_from(ADDED | {"what": known | {"mood": "glad"}}).what == Added(short)


def test_a_damaged_event_tells_no_words() -> None:
    """The sentence names fields, not what was said."""
    with pytest.raises(Damaged) as caught:
        event_from(altered(ADDED, n="零"))
    assert "n is of a wrong kind" in str(caught.value)
    assert "原话" not in str(caught.value)
    assert "零" not in str(caught.value)


def test_events_are_told_apart() -> None:
    """Equal events are equal, others are not."""
    assert events_of(Pinned("m-1")) == events_of(Pinned("m-1")) != events_of(Pinned("m-2"))


def test_who_and_what_are_told_apart() -> None:
    """Who superseded a memory, and the memory that stands for it, have one name and two places."""
    raw = event_to(Event("e", "", "extract", Superseded("m-1", "m-2")))
    assert (raw["by"], raw["what"]["by"]) == ("extract", "m-2")
    assert event_from(raw).by == "extract"
