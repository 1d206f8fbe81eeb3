"""What a replay comes to: one row a lane, one row a life without a lane, and the shares that have a bar (pure).

Invariant: a rate of nothing is 0, and every row has the same names.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Final

from evals.menu.planted import LANES, Outcome
from evals.menu.replay import Listed, Replayed, share
from paramecium.memories.tokens import estimated_tokens
from paramecium.messages import Json
from paramecium.settings import Lane

GIVEN_SHARE_MAX: Final = 0.15
SMALL_TALK_LINES_MAX: Final = 0.5


def lane_rows(replayed: Replayed) -> list[Json]:
    """Returns for each lane the lines it listed and listed alone, how many were opened, their tokens, and its time.

    `rate` is opened lines in listed ones; `ms` is the median of a menu of this lane alone, beside the embedding.
    """
    return [_lane_row(lane, replayed) for lane in LANES]


def ablation_rows(
    whole: Replayed, without: Mapping[Lane, Replayed], told: Sequence[Outcome], probes: int
) -> list[Json]:
    """Returns what the life comes to with all lanes, and with all but one; `planted` are the planted cases listed."""
    rows = [_life_row("all", whole, probes, sum(t.listed for t in told), len(told))]
    for lane, replayed in without.items():
        listed = sum(t.listed if t.case.lane != lane else t.listed_without for t in told)
        rows.append(_life_row(f"without {lane}", replayed, probes, listed, len(told)))
    return rows


def shares(whole: Replayed, talk: Replayed) -> list[Json]:
    """Returns the figures with a bar, and those beside them; a bar of None says that there is none."""
    lived, talked = (share(each.given_tokens, each.said_tokens) for each in (whole, talk))
    return [
        _figure("given in a talk of 200 turns, share", talked, GIVEN_SHARE_MAX),
        _figure("given in the talks of the life, share", lived, None),
        _figure("lines a small-talk message lists", whole.small_talk, SMALL_TALK_LINES_MAX),
        _figure("lines it lists after a reply of the life", whole.small_talk_after, None),
    ]


def planted_rows(told: Sequence[Outcome]) -> list[Json]:
    """Returns one row a planted case."""
    return [
        {"case": t.case.name, "lane": t.case.lane, "listed": t.listed, "without_the_lane": t.listed_without}
        for t in told
    ]


def _lane_row(lane: Lane, replayed: Replayed) -> Json:
    lines = [each for each in replayed.listed if lane in each.line.lanes]
    alone = [each for each in lines if len(each.line.lanes) == 1]
    times = replayed.ms.get(lane, [])
    return {
        "lane": lane,
        "listed": len(lines),
        "alone": len(alone),
        "recalled": _opened(lines),
        "rate": _rate(lines),
        "alone_recalled": _opened(alone),
        "alone_rate": _rate(alone),
        "tokens": round(fmean([estimated_tokens(each.line.title) for each in lines] or [0]), 1),
        "ms": round(median(times or [0]), 2),
    }


def _life_row(name: str, replayed: Replayed, probes: int, planted: int, cases: int) -> Json:
    return {
        "lanes": name,
        "lines": len(replayed.listed),
        "recalled": _opened(replayed.listed),
        "rate": _rate(replayed.listed),
        "probes": f"{replayed.hits} of {probes}",
        "planted": f"{planted} of {cases}",
        "given_share": round(share(replayed.given_tokens, replayed.said_tokens), 3),
        "small_talk": round(replayed.small_talk, 3),
    }


def _figure(name: str, value: float, bar: float | None) -> Json:
    return {"figure": name, "value": round(value, 3), "at_most": bar}


def _opened(lines: Sequence[Listed]) -> int:
    return sum(each.opened for each in lines)


def _rate(lines: Sequence[Listed]) -> float:
    return round(_opened(lines) / max(len(lines), 1), 3)
