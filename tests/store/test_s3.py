"""The S3 store beside its outcomes: its client, its pages, foreign objects, a service that is not there."""

import socket
from pathlib import Path

import pytest
from botocore.exceptions import NoCredentialsError

from paramecium import clock
from paramecium.errors import AlreadyExists, StoreUnavailable
from paramecium.store.s3 import CONNECT_TIMEOUT_S, READ_TIMEOUT_S, TRIES_MAX, S3Store
from tests.seaweed import Seaweed

VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL")


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Gives a default chain that finds nothing, and no pauses."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(clock, "wait", lambda _: None)
    return monkeypatch


def test_the_client_has_limits_and_does_not_retry_by_itself(chain: pytest.MonkeyPatch) -> None:
    """Every call ends in bounded time, and a lost answer is never hidden by a second try of botocore."""
    config = S3Store("bucket")._client.meta.config
    assert (config.connect_timeout, config.read_timeout) == (CONNECT_TIMEOUT_S, READ_TIMEOUT_S)
    assert config.retries["total_max_attempts"] == 1


def test_without_credentials_it_says_what_to_do(chain: pytest.MonkeyPatch) -> None:
    """A store without credentials opens, and its first call says how to set them."""
    store = S3Store("bucket")
    with pytest.raises(StoreUnavailable, match="aws configure") as raised:
        store.create("main/a", b"")
    assert isinstance(raised.value.__cause__, NoCredentialsError)


def test_a_service_that_is_not_there_is_said(chain: pytest.MonkeyPatch) -> None:
    """Nobody listening is StoreUnavailable for writes too: nothing was sent, so nothing is unknown."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        chain.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{taken.getsockname()[1]}")
        chain.setenv("AWS_ACCESS_KEY_ID", "a")
        chain.setenv("AWS_SECRET_ACCESS_KEY", "b")
        store = S3Store("bucket")
        for call in (lambda: store.create("main/a", b""), lambda: store.get("main/a"), lambda: list(store.list(""))):
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                call()


@pytest.mark.parametrize("kind", ["moto", "seaweed"])
def test_a_missing_bucket_is_not_a_missing_object(kind: str, request: pytest.FixtureRequest) -> None:
    """Every call says that the bucket does not exist, never that an object is missing."""
    opened: S3Store = request.getfixturevalue(f"{kind}_store")
    store = S3Store("no-such-bucket", client=opened._client)
    for call in (lambda: store.create("main/a", b""), lambda: store.get("main/a"), lambda: list(store.list(""))):
        with pytest.raises(StoreUnavailable, match="bucket does not exist"):
            call()


def test_a_wrong_key_is_said(seaweed: Seaweed, chain: pytest.MonkeyPatch) -> None:
    """A real server that does not know the credentials gets the person told so."""
    for name, value in (seaweed.environment | {"AWS_ACCESS_KEY_ID": "nobody"}).items():
        chain.setenv(name, value)
    with pytest.raises(StoreUnavailable, match="access key is not known"):
        S3Store(seaweed.new_bucket()).get("main/a")


def test_the_folders_of_a_console_are_not_listed(moto_store: S3Store) -> None:
    """Empty objects that end with a slash, and other names that are no keys, are passed over."""
    moto_store.create("main/a/1", b"")
    for name in ("main/", "main/a/", "main//b", ".hidden"):
        moto_store._client.put_object(Bucket="bucket", Key=name, Body=b"")
    assert list(moto_store.list("")) == ["main/a/1"]


class Pages:
    """Is a client of three pages, the second of which fails at first."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.asked: list[dict[str, str]] = []

    def list_objects_v2(self, **asked: str) -> dict[str, object]:
        """Returns the page that was asked for."""
        self.asked.append(asked)
        page = int(asked.get("ContinuationToken", "0"))
        if page == 1 and self.failures:
            self.failures -= 1
            raise TimeoutError
        found = [] if page == 1 else [{"Key": f"main/{page}"}]
        return {"Contents": found, "IsTruncated": page < 2, "NextContinuationToken": str(page + 1)}


def test_all_pages_are_read(chain: pytest.MonkeyPatch) -> None:
    """A page without keys does not end a list, a lost one is asked again, and `after` is said once."""
    pages = Pages(failures=2)
    assert list(S3Store("bucket", client=pages).list("main/", "main/")) == ["main/0", "main/2"]
    assert [asked.get("StartAfter") for asked in pages.asked] == ["main/", None, None, None, None]
    with pytest.raises(StoreUnavailable, match="main/"):
        list(S3Store("bucket", client=Pages(failures=TRIES_MAX)).list("main/"))


def test_a_write_is_one_put(seaweed_store: S3Store) -> None:
    """A large body goes in one PutObject under its condition, so a second writer of it is refused as a whole."""
    sent: list[str] = []
    events = seaweed_store._client.meta.events
    events.register("before-call.s3", lambda model, **_: sent.append(model.name), unique_id="sent")
    body = b"x" * 20_000_000
    seaweed_store.create("derived/main/large", body)
    with pytest.raises(AlreadyExists):
        seaweed_store.create("derived/main/large", body)
    events.unregister("before-call.s3", unique_id="sent")
    assert sent == ["PutObject"] * 2
    seaweed_store.delete("derived/main/large")
