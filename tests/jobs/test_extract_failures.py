"""A small model that fails: outages cost nothing, poison is set aside, and a week without it loses no word."""

import pytest

from paramecium.errors import UpstreamError, UpstreamOverloaded, UpstreamRefused, UpstreamTimeout
from paramecium.jobs.extract_memories import extract
from paramecium.store import keys, record
from paramecium.upstream.small_reply import SmallAnswer
from tests.jobs.extracting import THINGS, Away, Model, Noted, quotes_of, settings

OUTAGES = (
    UpstreamError("no connection"), UpstreamTimeout("silent"), UpstreamOverloaded("429"),
    *(UpstreamRefused(status, "") for status in (401, 403, 404, 408, 500, 502)),
)  # fmt: skip


def two_talks(**more: object) -> Noted:
    """Returns a life with two conversations to be read."""
    life = Noted(**more)  # type: ignore[arg-type]
    for name in ("alt", "neu"):
        life.say(name, *(f"{name}：{thing}" for thing in THINGS))
        life.now.forward(minutes=1)
    return life


def set_aside(life: Noted) -> list[dict[str, object]]:
    """Returns what was set aside."""
    prefix = keys.set_aside("main", "extract", "x").removesuffix("x.json")
    return [record.parse(key, life.store.get(key).body) for key in life.store.list(prefix)]


@pytest.mark.parametrize("outage", OUTAGES, ids=lambda error: f"{type(error).__name__} {error}")
def test_an_outage_ends_the_run_after_the_next_conversation_and_counts_nothing(outage: UpstreamError) -> None:
    """Of any number of conversations two are tried; no cursor moves, no call and no try is counted."""
    life = two_talks()
    life.say("dritt", *THINGS)
    for _ in range(5):
        life.model.plans = [outage] * 3
        report = life.extract()
        assert (report.calls, report.messages, report.failed) == (2, 0, str(outage))
        cursor = life.cursor()
        assert (cursor["conversations"], cursor["tries"], cursor["arrivals"], cursor["calls"]) == ({}, {}, "", 0)
    life.model.plans = []
    assert life.extract().added == 12


@pytest.mark.parametrize("poison", [UpstreamTimeout("silent"), UpstreamRefused(400, ""), "[{", "[1 2]"])
def test_a_batch_that_fails_while_others_are_read_is_set_aside_after_three_tries(poison: str | Exception) -> None:
    """The newest conversation fails three runs in a row and is passed; the others are read at once."""
    life = two_talks()

    def poisoned(words: str) -> str:
        if "neu" not in words:
            return quotes_of(words)
        if isinstance(poison, Exception):
            raise poison
        return poison

    life.model.note = poisoned
    for tries in range(3):
        life.say(f"gut{tries}", *(f"gut{tries}：{thing}" for thing in THINGS))
        assert life.extract().set_aside == (tries == 2)
    [told] = set_aside(life)
    assert told["conversation"] == "neu"
    assert told["messages"] == [f"neu-{i}" for i in range(4)]
    assert not any(thing[:4] in str(told) for thing in THINGS)
    assert life.cursor()["tries"] == {}
    assert not any(content.startswith("neu") for content in life.contents())
    assert len(life.contents()) == 16
    report = life.extract()
    assert (report.calls, report.failed) == (0, None)


def test_a_refused_batch_counts_though_nothing_else_is_asked() -> None:
    """A service that refuses the request itself need not answer another one."""
    life = Noted()
    life.say("maobao", *THINGS)
    for tries in range(3):
        life.model.plans = [UpstreamRefused(413, "")]
        assert life.extract().set_aside == (tries == 2)
    assert life.extract().calls == 0


def test_a_single_batch_that_times_out_is_tried_for_ever() -> None:
    """With nothing to compare with, silence may be an outage."""
    life = Noted()
    life.say("maobao", *THINGS)
    for _ in range(6):
        life.model.plans = [UpstreamTimeout("silent")]
        assert life.extract().set_aside == 0
    assert life.extract().added == 4


def test_a_model_away_for_a_week_loses_nothing() -> None:
    """People talk on for seven days, the job fails every six hours; then all is caught up, within the limits."""
    life = Noted(model=Away(), settings=settings(calls_per_day=20))
    said = 0
    for day in range(7):
        for name in (f"tag{day}", "immer"):
            life.say(name, *(f"{name}第{day}天：{thing}" for thing in THINGS))
            said += 4
        for _ in range(4):
            life.now.forward(hours=6)
            assert life.extract().failed is not None
    assert life.contents() == []
    life.model = Model()
    reports = []
    for _ in range(3):
        reports.append(life.extract())
        life.now.forward(days=1)
    assert sum(report.messages for report in reports) == said
    assert {m.note.conversation for m in life.state().memories.values()} == {"immer", *(f"tag{d}" for d in range(7))}
    assert set_aside(life) == []


def test_a_comparison_that_fails_is_made_at_the_next_run() -> None:
    """The memory stands, the cursor moves, and what it supersedes is found when the model is back."""
    life = Noted()
    life.say("maobao", *THINGS)
    life.extract()
    life.now.forward(hours=2)
    life.say("xin", "豆包现在不爱吃小鱼干只吃罐头")
    life.now.forward(hours=2)

    def away(_: str) -> str:
        raise UpstreamError("no connection")

    life.model.compare = away
    report = life.extract()
    assert (report.added, report.superseded, report.failed) == (1, 0, "no connection")
    assert len(life.cursor()["unchecked"]) == 1
    life.model = Model()
    assert life.extract().superseded == 1
    assert life.cursor()["unchecked"] == []


def test_a_wrong_clock_far_ahead_keeps_nobody_waiting() -> None:
    """An arrival of next year is read like any other, settles nothing, and is no reason to wait for silence."""
    life = Noted()
    life.now.forward(days=365)
    life.say("zukunft", *THINGS[:3])
    life.now.forward(days=-365)
    life.say("heute", *THINGS)
    assert life.extract().added == 7
    assert life.cursor()["arrivals"].endswith("-heute-3")


def test_a_conversation_that_cannot_be_read_is_named_and_holds_nobody_up() -> None:
    """The others are read; once it is mended it is read, too."""
    life = two_talks()
    key = keys.block("main", "neu", 2)
    body = life.store.get(key).body
    life.store.delete(key)
    report = extract(life.extractor())
    assert len(report.unreadable) == 1
    assert report.added == 4
    life.store.create(key, body)
    life.now.forward(hours=48)
    assert life.extract().added == 4


@pytest.mark.parametrize("broken", [UpstreamRefused(400, "out of credit"), UpstreamRefused(422, ""), "[{", "[1 2]"])
def test_a_service_that_fails_at_everything_sets_nothing_aside(broken: str | Exception) -> None:
    """Some answer 400 when the account is empty or the model is gone: for days, and no word is passed over."""
    life = two_talks()
    for _ in range(10):
        life.model.plans = [broken] * 9
        report = life.extract()
        life.now.forward(hours=6)
    assert report.failed is not None
    assert (report.set_aside, report.calls, report.waiting) == (0, 2, {"failed": 4})
    assert set_aside(life) == []
    life.model.plans = []
    assert life.extract().added == 8
    assert life.cursor()["tries"] == {}


def test_nothing_is_set_aside_when_the_day_has_no_call_left_to_ask_about_something_else() -> None:
    """The batch waits for tomorrow, when it can be told from the service."""
    life = Noted(settings=settings(calls_per_day=3))
    life.say("maobao", *THINGS)
    for _ in range(3):
        life.model.plans = [UpstreamRefused(400, "")]
        assert life.extract().set_aside == 0
    assert life.cursor()["calls"] == 3
    life.now.forward(days=1)
    life.model.plans = [UpstreamRefused(400, "")]
    assert life.extract().set_aside == 1


def test_what_no_arrival_told_of_is_read_the_next_day() -> None:
    """A process that died between the block and its arrival costs a day, never a word."""
    life = Noted()
    life.say("maobao", *THINGS[:2])
    life.now.forward(hours=2)
    assert life.extract().messages == 2
    life.say("verloren", *THINGS)
    for key in [*life.store.list(keys.arrivals("main"))]:
        if "-verloren-" in key:
            life.store.delete(key)
    life.now.forward(hours=2)
    assert life.extract().messages == 0
    life.now.forward(days=1)
    assert life.extract().messages == 4
    life.now.forward(days=1)
    assert life.extract().calls == 0


def test_what_was_said_after_a_clock_was_put_right_is_read() -> None:
    """The cursor stands in a year to come; what arrives hours before a run is not hidden behind it."""
    life = Noted()
    life.now.forward(days=365)
    life.say("zukunft", *THINGS)
    life.now.forward(hours=2)
    assert life.extract().messages == 4
    life.now.forward(days=-365)
    life.say("heute", *THINGS)
    life.now.forward(hours=5)
    assert life.extract().messages == 4


def test_a_model_cut_off_before_its_answer_began_has_not_read_the_batch() -> None:
    """One that thought until its tokens were used up says nothing: no word is passed over for it."""
    life = Noted()
    life.say("maobao", *THINGS)
    asks = life.model.ask

    def cut_off(system: str, text: str) -> SmallAnswer:
        return asks(system, text)._replace(text="", stop_reason="max_tokens")

    life.model.ask = cut_off  # type: ignore[method-assign]
    for _ in range(5):
        report = life.extract()
        assert (report.messages, report.waiting, report.set_aside) == (0, {"failed": 4}, 0)
    life.model.ask = asks  # type: ignore[method-assign]
    assert life.extract().added == 4
