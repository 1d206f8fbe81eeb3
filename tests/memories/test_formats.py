"""The form of the blocks and of the pointer: golden files, every text and number kept, and bytes that are no block."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from paramecium.errors import Damaged
from paramecium.memories.block import pack_base, pack_rows, unpack_base, unpack_rows
from paramecium.memories.events import Added, Event
from paramecium.memories.making import Prepared, prepare
from paramecium.memories.pool import DTYPES, Pool, PoolWriter
from paramecium.memories.rows import Rows, made
from paramecium.memories.snapshot_form import pointer_from, pointer_to
from paramecium.memories.state import State, fold
from paramecium.messages import dump_json, load_json
from tests.fakes import HashEmbedder
from tests.memories.lives import HISTORIES, added, events, marks, note, recalled

FOLDER = Path(__file__).parents[1] / "formats" / "memories"


def rows_of(state: State) -> Rows:
    """Returns the vectors of a state's memories, and of a message."""
    model = HashEmbedder()
    ids = list(state.memories)
    vectors = model.passages([memory.note.content for memory in state.memories.values()])
    return made(model.id, model.mean + np.float32(0.25), ids, vectors, [("c-9", "q-1")], model.passages(["想喝茶"]))


def example() -> Prepared:
    """Returns what the golden base holds."""
    strange = recalled(2, 3, context={"model": "hash/1", "vector": "AA", "more": [1]})
    some = [*added(7), recalled(0, 1, 2), recalled(1, 3), strange, recalled(3, 0, context=None)]
    state = fold(State(), some)
    return prepare(state, rows_of(state), marks)


def _bytes(name: str) -> NDArray[np.uint8]:
    return np.frombuffer((FOLDER / name).read_bytes(), np.uint8)


def test_the_golden_base_is_read_and_written_byte_for_byte() -> None:
    """A base of version 1 gives the state and all that was computed of it, and is packed into the same bytes."""
    base, expected = unpack_base(_bytes("v1-base.block"), "golden"), example()
    assert base.state == expected.state
    assert base.state.memories["m-3"].note.content == "🐱\u2028猫\ud83d也闻到了\0（3）"
    assert pack_base(base) == (FOLDER / "v1-base.block").read_bytes()
    assert pack_base(expected) == (FOLDER / "v1-base.block").read_bytes()


def test_the_golden_vectors_are_read_and_written_byte_for_byte() -> None:
    """A block of vectors of version 1 is read, and packed into the same bytes."""
    rows = unpack_rows(_bytes("v1-vectors.block"), "golden")
    assert (rows.model, rows.dims, rows.ids[1], rows.asked) == ("hash/1", 64, "m-1", (("c-9", "q-1"),))
    assert pack_rows(rows) == (FOLDER / "v1-vectors.block").read_bytes()


def test_the_golden_pointer_is_written_back() -> None:
    """A pointer of version 1 is read and written with the same fields; what was changed in it is found."""
    raw = load_json((FOLDER / "v1-pointer.json").read_bytes())
    pointer = pointer_from(raw, "golden")
    assert (pointer.upto, len(pointer.vectors), pointer.off_path) == (11, 1, {"c-0": ("m-0", "m-3")})
    written = {"generation": raw["generation"], "writer": raw["writer"]}
    assert dump_json({**pointer_to(pointer), **written}) == (FOLDER / "v1-pointer.json").read_bytes()
    for name in ("v", "model", "upto", "base", "vectors", "off_path", "retired", "seal"):
        with pytest.raises(Damaged, match="golden"):
            pointer_from({k: v for k, v in raw.items() if k != name}, "golden")
    body = dump_json(raw)
    for wrong in (b'"m-0"', b"11", b"hash/1"):
        with pytest.raises(Damaged):
            pointer_from(load_json(body.replace(wrong, wrong[:-2] + b"7" + wrong[-1:], 1)), "golden")


def test_when_the_paths_were_looked_at_is_sealed_too() -> None:
    """It is there once it is known, and neither it nor its absence can be slipped in."""
    plain = pointer_from(load_json((FOLDER / "v1-pointer.json").read_bytes()), "golden")
    looked = replace(plain, looked="2026-06-12T04:00:00+00:00")
    raw = pointer_to(looked)
    assert pointer_from(raw, "golden") == looked
    for wrong in ({k: v for k, v in raw.items() if k != "looked"}, raw | {"looked": "2027-06-12T04:00:00+00:00"}):
        with pytest.raises(Damaged, match="seal"):
            pointer_from(wrong, "golden")


@settings(max_examples=80, deadline=None)
@given(HISTORIES)
def test_whatever_happened_a_base_gives_it_back(history: list[Event]) -> None:
    """Every field of every state comes back, and so does all that was computed of it."""
    state = fold(State(), history)
    base = prepare(state, rows_of(state), marks)
    body = pack_base(base)
    again = unpack_base(np.frombuffer(body, np.uint8), "block")
    assert again.state == state
    assert list(again.state.memories) == list(state.memories)
    assert pack_base(again) == body
    assert again.memories == base.memories
    assert dict(again.edges) == dict(base.edges)
    assert (again.days, again.opened, again.scan.joined) == (base.days, base.opened, base.scan.joined)


@given(st.lists(st.one_of(st.none(), st.text(), st.just("\ud83d"), st.just("\ude00"), st.just("a\n"), st.just(""))))
def test_a_pool_gives_every_text_back(texts: list[str | None]) -> None:
    """Halves of a pair that stand in neighbouring texts stay halves, and None stays None."""
    pool = PoolWriter()
    column = pool.column(texts)
    sections = pool.sections()
    assert {name: array.dtype.str for name, array in sections.items()} == {
        name: np.dtype(kind).str for name, kind in DTYPES.items()
    }
    assert Pool(sections, "block").strings(column) == texts


def test_numbers_beyond_64_bits_come_back() -> None:
    """A ledger that another program wrote may hold any whole number."""
    state = fold(State(), [*added(2), *events([Added(note(5, n=10**30, end=-(2**63)))])])
    again = unpack_base(np.frombuffer(pack_base(prepare(state, rows_of(state), marks)), np.uint8), "block")
    assert again.state == state


def test_bytes_that_are_no_block_are_damaged() -> None:
    """Whatever byte is another one, a block is read or Damaged is raised, and nothing else."""
    for name, unpack in (("v1-base.block", unpack_base), ("v1-vectors.block", unpack_rows)):
        body = (FOLDER / name).read_bytes()
        refused = 0
        for at in range(0, len(body), 7):
            wrong = np.frombuffer(body[:at] + bytes((body[at] ^ 0x55,)) + body[at + 1 :], np.uint8)
            try:
                unpack(wrong, "block")
            except Damaged:
                refused += 1
        assert refused > 10
        with pytest.raises(Damaged):
            unpack(np.frombuffer(body[:100], np.uint8), "block")
