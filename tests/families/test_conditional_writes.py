"""Every run of answers a bucket can give to a conditional write: what is said about it is true of what stands."""

from collections.abc import Callable
from contextlib import suppress
from itertools import product

import pytest
from botocore import exceptions

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.errors import (
    AlreadyExists,
    OutcomeUnknown,
    StoreUnavailable,
    VersionMismatch,
)
from paramecium.messages import Entry
from paramecium.store import s3
from paramecium.store.s3 import S3Store
from tests.fakes import FixedClock
from tests.store.fakes_s3 import BUCKET, Lost, ScriptedS3, Step, answer, etag

KEY = "main/memories/events/00000042.json"
OLD, OWN, FOREIGN = b"old", b'{"writer":"own"}', b'{"writer":"foreign"}'
TIMEOUT = exceptions.ReadTimeoutError(endpoint_url="http://s3")
# Answers that say that nothing was written, and those after which nobody knows.
NOT_WRITTEN: dict[str, Step] = {
    "409": answer(409, "ConditionalRequestConflict"),
    "409 operation": answer(409, "OperationAborted"),
    "429": answer(429, "TooManyRequests"),
    "unreached": exceptions.EndpointConnectionError(endpoint_url="http://s3"),
    "no time to connect": exceptions.ConnectTimeoutError(endpoint_url="http://s3"),
}
UNKNOWN: dict[str, Step] = {
    "500": answer(500, "InternalError"),
    "502": answer(502, "502"),
    "503": answer(503, "SlowDown"),
    "504": answer(504, "GatewayTimeout"),
    "408": answer(408, "RequestTimeout"),
    "timeout": TIMEOUT,
    "closed": exceptions.ConnectionClosedError(endpoint_url="http://s3"),
    "500, written": Lost(answer(500, "InternalError")),
    "timeout, written": Lost(TIMEOUT),
    "timeout, written, then another": Lost(TIMEOUT, foreign=FOREIGN),
}
STEPS = {**NOT_WRITTEN, **UNKNOWN}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets nobody wait between two tries, of which there are three."""
    monkeypatch.setattr(clock, "wait", lambda _: None)
    monkeypatch.setattr(s3, "TRIES_MAX", 3)


def outcome(write: Callable[[], str]) -> str:
    """Returns how a write ended."""
    try:
        write()
    except (AlreadyExists, VersionMismatch):
        return "refused"
    except OutcomeUnknown:
        return "unknown"
    except StoreUnavailable:
        return "away"
    return "done"


def begun(name: str, standing: bytes | None, steps: tuple[Step, ...]) -> tuple[ScriptedS3, Callable[[], str]]:
    """Returns a bucket, and the write to be done in it."""
    client = ScriptedS3(puts=steps)
    store = S3Store(BUCKET, client=client)
    if standing is not None:
        client.objects[KEY] = standing
    if name == "create":
        return client, lambda: store.create(KEY, OWN)
    return client, lambda: store.replace(KEY, OWN, etag(OLD))


@pytest.mark.parametrize(
    ("name", "standing"),
    [("create", None), ("create", FOREIGN), ("replace", OLD), ("replace", FOREIGN), ("replace", None)],
)
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_what_is_said_is_what_stands(name: str, standing: bytes | None, count: int) -> None:
    """Fifteen answers in every order of up to three: done means ours stands, refused and away mean it does not."""
    may_win = standing == (None if name == "create" else OLD)
    for names in product(STEPS, repeat=count):
        steps = tuple(STEPS[n] for n in names)
        client, write = begun(name, standing, steps)
        said = outcome(write)
        ours = client.objects.get(KEY) == OWN
        written_over = client.objects.get(KEY) == FOREIGN and may_win
        assert said != "done" or ours, names
        assert said not in ("refused", "away") or not ours, names
        assert said != "away" or client.objects.get(KEY) == standing, names
        if count < 3:
            # With a try left that nothing disturbs, the outcome is known.
            assert said == ("done" if may_win and not written_over else "refused"), names
        elif not set(names) & set(UNKNOWN):
            assert said == ("away" if may_win else said), names


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 411, 413, 416, 418, 501])
@pytest.mark.parametrize("name", ["create", "replace"])
def test_an_answer_nobody_expects_is_no_success(name: str, status: int) -> None:
    """A refusal of any other kind is told at once; only a replaced object that is gone is a lost race."""
    client, write = begun(name, None if name == "create" else OLD, (answer(status, f"Code{status}"),) * 9)
    said = outcome(write)
    assert said == ("refused" if (name, status) == ("replace", 404) else "away")
    assert client.objects.get(KEY) == (None if name == "create" else OLD)
    assert len(client.asked("put")) == 1


@pytest.mark.parametrize("step", [s for s in STEPS if not s.endswith("another")])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_message_survives_every_answer(step: str, at: int) -> None:
    """Whatever the bucket says to one of an append's writes, the message stands once and is announced (D11 145)."""
    client = ScriptedS3(puts=(*[_pass] * (at - 1), STEPS[step]))
    client.list_objects_v2 = lambda **asked: _listed(client, **asked)  # type: ignore[attr-defined]
    archive = Archive(S3Store(BUCKET, client=client), "main", now=FixedClock())
    for draft in (Entry("a", 0, role="user", text="一"), Entry("b", 0, role="user", text="二")):
        for _ in range(3):
            with suppress(OutcomeUnknown, StoreUnavailable):
                archive.append("conv", [draft], 0 if draft.id == "a" else 1)
                break
    assert [e.text for e in archive.read("conv")] == ["一", "二"]
    announced = {key.rsplit("-", 1)[1] for key in client.objects if "/arrivals/" in key}
    assert announced >= {"0", "1"}


def _pass() -> None:
    return


def _listed(client: ScriptedS3, **asked: str) -> dict[str, object]:
    after = asked.get("StartAfter", "")
    keys = sorted(k for k in client.objects if k.startswith(asked["Prefix"]) and k > after)
    return {"Contents": [{"Key": k} for k in keys]}
