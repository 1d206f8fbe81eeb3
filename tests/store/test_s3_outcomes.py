"""What each answer of S3, and the lack of one, means for the three outcomes of a write and for a read."""

from collections.abc import Callable

import pytest
from botocore import exceptions

from paramecium import clock
from paramecium.errors import (
    AlreadyExists,
    Conflict,
    KeyMissing,
    OutcomeUnknown,
    ParameciumError,
    StoreUnavailable,
    VersionMismatch,
)
from paramecium.store.s3 import TRIES_MAX, S3Store
from tests.store.fakes_s3 import BUCKET, Lost, ScriptedS3, Step, answer, etag

KEY = "main/memories/events/00000042.json"
OLD, OWN, FOREIGN = b"old", b'{"writer":"own"}', b'{"writer":"foreign"}'
TIMEOUT = exceptions.ReadTimeoutError(endpoint_url="http://s3")
CLOSED = exceptions.ConnectionClosedError(endpoint_url="http://s3")
UNREACHED = exceptions.EndpointConnectionError(endpoint_url="http://s3")
BROKEN = answer(500, "InternalError")
SLOW_DOWN = answer(503, "SlowDown")
RACED = answer(409, "ConditionalRequestConflict")
REFUSED = answer(412, "PreconditionFailed")
FORBIDDEN = answer(403, "AccessDenied")
NO_BUCKET = answer(404, "NoSuchBucket")
UNKNOWN = (TIMEOUT, CLOSED, BROKEN, SLOW_DOWN, answer(400, "RequestTimeout"))


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Records the pauses between two tries instead of waiting."""
    recorded: list[float] = []
    monkeypatch.setattr(clock, "wait", recorded.append)
    return recorded


class Write:
    """Is a create or a replace of KEY with OWN, over a client with a script."""

    def __init__(self, name: str, refusal: type[Conflict]) -> None:
        self.name = name
        self.refusal = refusal

    def over(self, *puts: Step, gets: tuple[Step, ...] = ()) -> tuple[ScriptedS3, Callable[[], str]]:
        """Returns the client and the write to be done over it."""
        client = ScriptedS3(puts=puts, gets=gets)
        store = S3Store(BUCKET, client=client)
        if self.name == "create":
            return client, lambda: store.create(KEY, OWN)
        client.objects[KEY] = OLD
        return client, lambda: store.replace(KEY, OWN, etag(OLD))


@pytest.fixture(params=["create", "replace"])
def write(request: pytest.FixtureRequest) -> Write:
    """Gives either conditional write."""
    return Write(request.param, AlreadyExists if request.param == "create" else VersionMismatch)


def test_a_race_is_run_again(write: Write, waits: list[float]) -> None:
    """A 409 says that two writers met and nothing was written: the same write is sent again, and wins."""
    client, send = write.over(RACED, RACED)
    assert send() == etag(OWN)
    assert client.objects[KEY] == OWN
    assert len(client.asked("put")) == 3
    assert len(waits) == 2


def test_a_race_is_not_run_for_ever(write: Write, waits: list[float]) -> None:
    """After the last 409 nothing was written for sure, and the store is said to be unavailable."""
    client, send = write.over(*[RACED] * TRIES_MAX)
    with pytest.raises(StoreUnavailable, match=KEY):
        send()
    assert len(client.asked("put")) == TRIES_MAX
    assert len(waits) == TRIES_MAX - 1


def test_a_refusal_at_first_is_a_refusal(write: Write) -> None:
    """A 412 of the first try is an answer: no second try, no look at what stands."""
    client, send = write.over(REFUSED)
    with pytest.raises(write.refusal, match=KEY):
        send()
    assert [call["name"] for call in client.calls] == ["put"]


def test_a_refusal_after_a_race_is_a_refusal(write: Write) -> None:
    """A 409 leaves nothing unknown, so the 412 after it needs no look, even where equal bytes stand."""
    client, send = write.over(RACED, REFUSED)
    client.objects[KEY] = OWN
    with pytest.raises(write.refusal):
        send()
    assert client.asked("get") == []


@pytest.mark.parametrize("error", UNKNOWN)
def test_an_own_write_is_known_again(write: Write, error: Exception) -> None:
    """A write whose answer was lost meets itself at the second try, and is done."""
    client, send = write.over(Lost(error))
    assert send() == etag(OWN)
    assert client.objects[KEY] == OWN
    assert [call["name"] for call in client.calls] == ["put", "put", "get"]


@pytest.mark.parametrize("error", UNKNOWN)
def test_a_write_that_was_not_done_is_done(write: Write, error: Exception) -> None:
    """A write that failed before its effect is sent again, and nothing is read."""
    client, send = write.over(error, error)
    assert send() == etag(OWN)
    assert [call["name"] for call in client.calls] == ["put"] * 3


def test_a_foreign_write_is_a_refusal(write: Write) -> None:
    """When another writer's bytes stand after a lost answer, the write is refused."""
    client, send = write.over(Lost(TIMEOUT, foreign=FOREIGN))
    with pytest.raises(write.refusal):
        send()
    assert client.objects[KEY] == FOREIGN


@pytest.mark.parametrize("error", UNKNOWN)
def test_what_stays_unknown_is_said(write: Write, error: Exception) -> None:
    """When every try ends without an answer nobody knows, and that is what is raised."""
    client, send = write.over(*[error] * TRIES_MAX)
    with pytest.raises(OutcomeUnknown, match=KEY):
        send()
    assert len(client.asked("put")) == TRIES_MAX


def test_one_unknown_try_makes_all_unknown(write: Write) -> None:
    """An earlier lost answer is not forgotten over later tries that surely failed, or over a lost permission."""
    for later in ([UNREACHED] * (TRIES_MAX - 1), [FORBIDDEN], [NO_BUCKET]):
        _, send = write.over(TIMEOUT, *later)
        with pytest.raises(OutcomeUnknown):
            send()


def test_a_look_that_fails_leaves_it_unknown(write: Write) -> None:
    """When what stands cannot be read after a lost answer, the outcome is unknown."""
    _, send = write.over(Lost(TIMEOUT), gets=(FORBIDDEN,))
    with pytest.raises(OutcomeUnknown):
        send()


def test_what_was_never_sent_is_not_unknown(write: Write) -> None:
    """Without a connection nothing was written: the store is unavailable."""
    client, send = write.over(*[UNREACHED] * TRIES_MAX)
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        send()
    assert len(client.asked("put")) == TRIES_MAX


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (FORBIDDEN, "s3:PutObject"),
        (NO_BUCKET, "create it"),
        (answer(403, "InvalidAccessKeyId"), "aws configure"),
        (answer(400, "ExpiredToken"), "log in again"),
        (answer(501, "NotImplemented"), "conditional writes"),
        (exceptions.NoCredentialsError(), "aws configure"),
        (exceptions.PartialCredentialsError(provider="env", cred_var="key"), "Partial credentials"),
    ],
)
def test_what_a_person_must_mend_is_not_tried_again(write: Write, error: Exception, advice: str) -> None:
    """A missing bucket, permission or credential is said at once, with what to do, for writes and reads."""
    client, send = write.over(error, gets=(error,))
    with pytest.raises(StoreUnavailable, match=advice) as raised:
        send()
    assert KEY in str(raised.value)
    with pytest.raises(StoreUnavailable, match=advice):
        S3Store(BUCKET, client=client).get(KEY)
    assert len(client.calls) == 2


def test_what_is_gone_is_a_mismatch() -> None:
    """A replace that meets nothing is refused, at first and after a lost answer."""
    for puts in ((), (TIMEOUT,)):
        client = ScriptedS3(puts=puts)
        with pytest.raises(VersionMismatch):
            S3Store(BUCKET, client=client).replace(KEY, OWN, etag(OLD))
        assert client.objects == {}


@pytest.mark.parametrize("error", [*UNKNOWN, RACED, UNREACHED, answer(429, "TooManyRequests")])
def test_a_read_is_tried_again(error: Exception, waits: list[float]) -> None:
    """A read survives an overloaded service and lost connections, and gives up after the last try."""
    client = ScriptedS3(gets=(error, error))
    client.objects[KEY] = OLD
    store = S3Store(BUCKET, client=client)
    assert store.get(KEY).body == OLD
    assert len(waits) == 2
    client.scripts["get"] = [error] * TRIES_MAX
    with pytest.raises(StoreUnavailable, match=KEY):
        store.get(KEY)


def test_missing_and_forbidden_are_two_things() -> None:
    """An object that is not there is missing; one that may not be read is a matter of permission."""
    client = ScriptedS3(gets=(answer(404, "NoSuchKey"), FORBIDDEN))
    raised: list[ParameciumError] = []
    for _ in range(2):
        with pytest.raises(ParameciumError) as caught:
            S3Store(BUCKET, client=client).get(KEY)
        raised.append(caught.value)
    assert isinstance(raised[0], KeyMissing)
    assert isinstance(raised[1], StoreUnavailable)
    assert "s3:ListBucket" in str(raised[1])
