"""Every key is a key, sorts as its numbers do, and is read back to what it was made of."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium import clock
from paramecium.errors import BadId
from paramecium.store import keys
from paramecium.store.base import check_key

CONV = "01jxk3v8n2q4r6s8t0v2w4x6y8"
IDS = st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True)
MOMENTS = st.integers(0, 4 * 10**15).map(lambda us: datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=us))


def test_every_key_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of all kinds, with the longest ids, pass the store's check and stand where the design says."""
    life, conv, sha256, ulid = "a" * 40, "x" * 64, "f" * 64, clock.new_id()
    made = {
        keys.block(life, conv, 42): f"{life}/archive/conversations/{conv}/00000042.json",
        keys.arrival(life, datetime(2026, 6, 12, 15, 47, 3, 9_999, UTC), conv, 99_999_999): (
            f"{life}/archive/arrivals/2026-06-12/154703009-{conv}-99999999"
        ),
        keys.image(life, sha256, "jpeg"): f"{life}/archive/images/{sha256}.jpeg",
        keys.head(life, sha256): f"{life}/archive/heads/{sha256}.json",
        keys.manifest(life): f"derived/{life}/index/manifest.json",
        keys.segment(life, ulid, "vectors"): f"derived/{life}/index/segments/{ulid}.vectors",
        keys.fulltext(life, ulid): f"derived/{life}/index/fulltext/{ulid}.sqlite",
        keys.cursor(life, "extract"): f"derived/{life}/cursors/extract.json",
        keys.stop(life, ulid): f"papers/{life}/stops/{ulid}",
    }
    for key, expected in made.items():
        assert check_key(key) == expected


@pytest.mark.parametrize("life", ["main", "a", "0-9", "a" * 40])
def test_a_life_may_be_named(life: str) -> None:
    """Small letters, digits and hyphens name a life."""
    assert keys.check_life(life) == life


@pytest.mark.parametrize(
    "life", ["", "derived", "papers", "Main", "main/a", "main\n", "生活", ".", "a_b", "a" * 41, "main "]
)
def test_what_would_mix_lives_names_none(life: str) -> None:
    """The two prefixes of derived objects and papers, and what is no segment of a key, name no life."""
    with pytest.raises(BadId):
        keys.check_life(life)


@given(IDS, st.integers(0, 99_999_999))
def test_a_block_is_read_back(conv: str, n: int) -> None:
    """A block's key says its conversation and its first number."""
    assert keys.block_number(keys.block("main", conv, n)) == (conv, n)


@given(st.integers(0, 99_999_999), st.integers(0, 99_999_999))
def test_blocks_sort_by_number(one: int, other: int) -> None:
    """Keys of blocks are in the order of their numbers."""
    assert (keys.block("main", CONV, one) < keys.block("main", CONV, other)) == (one < other)


@given(MOMENTS, IDS, st.integers(0, 99_999_999))
def test_an_arrival_is_read_back(moment: datetime, conv: str, n: int) -> None:
    """An arrival's key says when, to the millisecond, which conversation, hyphens and digits in it, and where."""
    key = keys.arrival("main", moment, conv, n)
    whole_ms = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert keys.read_arrival(key) == (key, whole_ms, conv, n)
    assert key.startswith(keys.arrivals("main", f"{moment:%Y-%m-%d}"))
    assert key.startswith(keys.arrivals("main"))


@given(MOMENTS, MOMENTS)
def test_arrivals_sort_by_moment(one: datetime, other: datetime) -> None:
    """Keys of arrivals are in the order of their moments, as far as milliseconds tell them apart."""
    if other - one >= timedelta(milliseconds=1):
        assert keys.arrival("main", one, CONV, 9) < keys.arrival("main", other, CONV, 1)


def test_an_arrival_is_filed_by_utc() -> None:
    """A moment of another zone stands under its UTC day."""
    shanghai = timezone(timedelta(hours=8))
    moment = datetime(2026, 6, 13, 1, 30, tzinfo=shanghai)
    assert keys.arrival("main", moment, CONV, 0).startswith("main/archive/arrivals/2026-06-12/173000000-")


@pytest.mark.parametrize(
    "name",
    [
        *("2026-06-12/154703009-a", "2026-06-12/1547-a-1", "2026-06-12/154703009-A-1", "2026-06-12/154703009--", ""),
        *("2026-13-12/154703009-a-1", "2026-06-12/254703009-a-1", "2026-02-30/154703009-a-1", "1/154703009-a-1"),
        "2026-06-12/154703009-a-1\n",
    ],
)
def test_what_is_no_arrival_is_said(name: str) -> None:
    """A foreign name among the arrivals is no arrival, and neither is one at a moment that never was."""
    with pytest.raises(BadId):
        keys.read_arrival(f"main/archive/arrivals/{name}")


def test_an_object_of_the_index_is_known_by_its_ulid() -> None:
    """Segments and full texts carry their ULID in their name."""
    ulid = clock.new_id()
    for key in (keys.segment("main", ulid, "words"), keys.fulltext("main", ulid)):
        assert key.startswith(keys.index_objects("main"))
        assert keys.object_ulid(key) == ulid


def test_a_document_s_key_is_its_path_below_the_life() -> None:
    """A path names one of the folders a person writes into, any other is no document's."""
    assert keys.document("main", "facts/茶.md") == "main/facts/茶.md"
    assert keys.document("main", keys.fact_path("m-1.md")).startswith(keys.documents("main", "facts"))
    for path in ("archive/x.md", "m.md", "", "../facts/x.md"):
        with pytest.raises(BadId):
            keys.document("main", path)


def test_an_event_is_known_by_its_number() -> None:
    """The number is read from the key; what is no event has none."""
    assert keys.event("main", 42) == "main/memories/events/00000042.json"
    assert keys.event_number(keys.event("main", 42)) == 42
    for name in ("42.json", "00000042.json.bak", "0000004a.json", "00000042.json\n", "x/00000042.json"):
        assert keys.event_number(keys.events("main") + name) is None
