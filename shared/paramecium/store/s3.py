"""A store in an S3 bucket, by conditional PutObject alone: never multipart, never copy, never an unconditional put.

Knows what each answer of S3 means for the three outcomes of a write; knows nothing of what is stored. botocore's own
retries are off, since behind them a 412 may mean that an earlier try of the same call was the one that succeeded.
Invariant: a write is reported as done or refused only when that is known.
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html)
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from paramecium import clock
from paramecium.errors import AlreadyExists, Conflict, KeyMissing, OutcomeUnknown, StoreUnavailable, VersionMismatch
from paramecium.store.base import Blob, check_key, is_key
from paramecium.store.download import Part, download

TRIES_MAX = 6
CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 10
PAGES_MAX = 100_000
_CONNECTIONS_MAX = 32
_PAUSE_S = 0.1
_PAUSE_MAX_S = 2.0

T = TypeVar("T")
# unsent and raced: surely not done, try again. unknown: perhaps done, try again. fatal: trying again is no use.
Meaning = Literal["missing", "refused", "unchanged", "empty", "unsent", "raced", "unknown", "fatal"]
_AGAIN: Final = ("unsent", "raced", "unknown")
_MEANINGS: Final[dict[int, Meaning]] = {
    304: "unchanged",
    404: "missing",
    409: "raced",
    412: "refused",
    416: "empty",
    429: "unsent",
}
_NO_CREDENTIALS: Final = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run: aws configure"
_ADVICE: Final = {
    "NoSuchBucket": "the bucket does not exist; create it, or name another with --store",
    "AccessDenied": "access denied; the credentials need s3:GetObject and s3:PutObject on the bucket's objects and "
    "s3:ListBucket on the bucket (without it a missing object, too, is answered so)",
    "InvalidAccessKeyId": f"the access key is not known there; {_NO_CREDENTIALS}",
    "SignatureDoesNotMatch": f"the secret key is not the right one; {_NO_CREDENTIALS}",
    "NotImplemented": "the service lacks conditional writes (If-None-Match, If-Match); use one that has them",
    "ExpiredToken": f"the credentials have expired; log in again, or {_NO_CREDENTIALS}",
}


class S3Store:
    """Keeps objects in one bucket; a version is the ETag.

    Credentials, region and AWS_ENDPOINT_URL are those of the default chain unless a client is given.
    """

    def __init__(self, bucket: str, *, client: Any | None = None) -> None:
        self.bucket = bucket
        self._client = client if client is not None else _connect()

    def get(self, key: str) -> Blob:
        """Returns the object; raises KeyMissing, StoreUnavailable."""
        return self._read(key, {})

    def get_if_changed(self, key: str, version: str) -> Blob | None:
        """Returns the object, or None while it still has `version`; raises KeyMissing, StoreUnavailable."""
        try:
            return self._read(key, {"IfNoneMatch": version})
        except _NotDone as failure:
            if failure.meaning == "unchanged":
                return None
            raise

    def create(self, key: str, body: bytes) -> str:
        """Returns the version of the object made; raises AlreadyExists, OutcomeUnknown, StoreUnavailable."""
        return self._write(key, body, {"IfNoneMatch": "*"}, AlreadyExists(f"{key} exists"))

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Returns the new version; raises VersionMismatch, OutcomeUnknown, StoreUnavailable."""
        refusal = VersionMismatch(f"{key} is not the expected version")
        return self._write(key, body, {"IfMatch": expected_version}, refusal)

    def delete(self, key: str) -> None:
        """Removes the object; one that is not there is no error. Raises StoreUnavailable."""
        check_key(key)
        with suppress(KeyMissing):
            _retried(key, lambda: self._client.delete_object(Bucket=self.bucket, Key=key))

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Yields the keys under `prefix` behind `after`, in order, 1,000 a call; raises StoreUnavailable."""
        start = {"StartAfter": after} if after else {}
        for _ in range(PAGES_MAX):
            page = self._page(prefix, start)
            # What a console calls a folder is an empty object whose name ends with a slash.
            yield from filter(is_key, (entry["Key"] for entry in page.get("Contents", ())))
            if not page.get("IsTruncated"):
                return
            start = {"ContinuationToken": page["NextContinuationToken"]}

    def fetch(self, key: str, folder: Path) -> Path:
        """Returns the file in `folder` with the object's bytes, downloaded if it is not there; raises KeyMissing."""
        name = hashlib.sha256(f"{self.bucket}/{check_key(key)}".encode()).hexdigest()
        path = folder / name
        if not path.exists():
            download(key, path, lambda first, last, version: self._part(key, first, last, version))
        return path

    def _read(self, key: str, condition: Mapping[str, str]) -> Blob:
        check_key(key)

        def call() -> Blob:
            answer = self._client.get_object(Bucket=self.bucket, Key=key, **condition)
            return Blob(answer["Body"].read(), answer["ETag"])

        return _retried(key, call)

    def _part(self, key: str, first: int, last: int, version: str) -> Part:
        condition = {"IfMatch": version} if version else {}

        def call() -> Part:
            asked = f"bytes={first}-{last}"
            answer = self._client.get_object(Bucket=self.bucket, Key=key, Range=asked, **condition)
            body = answer["Body"].read()
            total = answer.get("ContentRange", f"/{len(body)}").rpartition("/")[2]
            return Part(body, int(total), answer["ETag"])

        try:
            return _retried(key, call)
        except _NotDone as failure:
            # An empty object has no first byte, so every range of it is out of bounds.
            if failure.meaning == "empty" and first == 0:
                return Part(b"", 0, "")
            raise

    def _page(self, prefix: str, start: Mapping[str, str]) -> Any:
        return _retried(prefix, lambda: self._client.list_objects_v2(Bucket=self.bucket, Prefix=prefix, **start))

    def _write(self, key: str, body: bytes, condition: Mapping[str, str], refusal: Conflict) -> str:
        check_key(key)
        perhaps_done = False
        for _ in _tries():
            try:
                return _sent(key, lambda: self._put(key, body, condition))
            except _NotDone as failure:
                last = failure
            if last.meaning == "refused" or (last.meaning == "missing" and "IfMatch" in condition):
                own = self._own(key, body) if perhaps_done else None
                if own is None:
                    raise refusal from last
                return own
            perhaps_done |= last.meaning == "unknown"
            if last.meaning not in _AGAIN:
                break
        if perhaps_done:
            raise OutcomeUnknown(f"{last}; whether it was written is not known") from last
        raise last

    def _put(self, key: str, body: bytes, condition: Mapping[str, str]) -> str:
        return str(self._client.put_object(Bucket=self.bucket, Key=key, Body=body, **condition)["ETag"])

    def _own(self, key: str, body: bytes) -> str | None:
        try:
            found = self.get(key)
        except KeyMissing:
            return None
        except StoreUnavailable as error:
            raise OutcomeUnknown(f"{error}; whether it was written is not known") from error
        return found.version if found.body == body else None


class _NotDone(StoreUnavailable):
    """Keeps what an answer, or the lack of one, means for the call."""

    def __init__(self, meaning: Meaning, message: str) -> None:
        super().__init__(message)
        self.meaning = meaning


def _connect() -> Any:
    import boto3
    from botocore.config import Config

    limits = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        retries={"total_max_attempts": 1},
        max_pool_connections=_CONNECTIONS_MAX,
    )
    return boto3.session.Session().client("s3", config=limits)


def _tries() -> Iterator[int]:
    for attempt in range(TRIES_MAX):
        if attempt:
            clock.wait(clock.jitter(min(_PAUSE_S * 2**attempt, _PAUSE_MAX_S)))
        yield attempt


def _retried(key: str, call: Callable[[], T]) -> T:
    for _ in _tries():
        try:
            return _sent(key, call)
        except _NotDone as failure:
            last = failure
        if last.meaning == "missing":
            raise KeyMissing(f"no object {key}") from last
        if last.meaning not in _AGAIN:
            break
    raise last


def _sent(key: str, call: Callable[[], T]) -> T:
    from botocore import exceptions

    unsent = (exceptions.EndpointConnectionError, exceptions.ConnectTimeoutError, exceptions.ProxyConnectionError)
    broken = (exceptions.ConnectionError, exceptions.HTTPClientError, exceptions.IncompleteReadError, OSError)
    damaged = (exceptions.ChecksumError, exceptions.FlexibleChecksumError)
    try:
        return call()
    except exceptions.ClientError as error:
        raise _answered(key, error.response) from error
    except unsent as error:
        raise _NotDone("unsent", f"{key}: the bucket's service cannot be reached: {error}") from error
    except (*broken, *damaged) as error:
        raise _NotDone("unknown", f"{key}: the connection was lost: {error}") from error
    except exceptions.NoCredentialsError as error:
        raise _NotDone("fatal", f"{key}: no credentials for the bucket; {_NO_CREDENTIALS}") from error
    except exceptions.BotoCoreError as error:
        raise _NotDone("fatal", f"{key}: {error}") from error


def _answered(key: str, response: Mapping[str, Any]) -> _NotDone:
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    code = str(response.get("Error", {}).get("Code", ""))
    reason = _ADVICE.get(code, f"the bucket's service answered {status} {code}".rstrip())
    if code == "RequestTimeout" or (status >= 500 and status != 501):
        return _NotDone("unknown", f"{key}: {reason}")
    meaning = "fatal" if code == "NoSuchBucket" else _MEANINGS.get(status, "fatal")
    return _NotDone(meaning, f"{key}: {reason}")
