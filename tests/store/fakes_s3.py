"""A client of S3 that answers by a script: errors before or after the effect, and other writers in between."""

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

BUCKET = "bucket"


def answer(status: int, code: str) -> ClientError:
    """Returns the error botocore raises for an answer of this status and code."""
    metadata: Any = {"HTTPStatusCode": status}
    response: Any = {"Error": {"Code": code, "Message": ""}, "ResponseMetadata": metadata}
    return ClientError(response, "PutObject")


def etag(body: bytes) -> str:
    """Returns the ETag of a body."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


@dataclass(frozen=True)
class Lost:
    """Is a call that has its effect and whose answer does not arrive; then another writer may write `foreign`."""

    error: Exception
    foreign: bytes | None = None


Step = Exception | Lost | Callable[[], None]


class ScriptedS3:
    """Keeps objects and answers conditionally, as S3 does, except where a script for puts or gets says otherwise."""

    def __init__(self, *, puts: tuple[Step, ...] = (), gets: tuple[Step, ...] = ()) -> None:
        self.objects: dict[str, bytes] = {}
        self.scripts = {"put": list(puts), "get": list(gets)}
        self.calls: list[dict[str, Any]] = []

    def asked(self, name: str) -> list[dict[str, Any]]:
        """Returns the arguments of all calls of that name."""
        return [call for call in self.calls if call["name"] == name]

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **condition: str) -> dict[str, Any]:  # noqa: N803
        """Follows the script, then writes if the condition holds."""
        assert Bucket == BUCKET
        step = self._enter("put", Key, condition)
        self._check(Key, condition)
        self.objects[Key] = Body
        self._leave(step, Key)
        return {"ETag": etag(Body)}

    def get_object(self, *, Bucket: str, Key: str, Range: str = "", **condition: str) -> dict[str, Any]:  # noqa: N803
        """Follows the script, then answers with the object or the part of it."""
        assert Bucket == BUCKET
        self._enter("get", Key, condition | {"Range": Range})
        if Key not in self.objects:
            raise answer(404, "NoSuchKey")
        body = self.objects[Key]
        if condition.get("IfNoneMatch") == etag(body):
            raise answer(304, "304")
        if condition.get("IfMatch", etag(body)) != etag(body):
            raise answer(412, "PreconditionFailed")
        if not Range:
            return {"ETag": etag(body), "Body": io.BytesIO(body)}
        first, last = (int(n) for n in Range.removeprefix("bytes=").split("-"))
        if first >= len(body):
            raise answer(416, "InvalidRange")
        part = body[first : last + 1]
        span = f"bytes {first}-{first + len(part) - 1}/{len(body)}"
        return {"ETag": etag(body), "Body": io.BytesIO(part), "ContentRange": span}

    def _enter(self, name: str, key: str, arguments: dict[str, str]) -> Step | None:
        self.calls.append({"name": name, "key": key} | arguments)
        script = self.scripts[name]
        step = script.pop(0) if script else None
        if isinstance(step, Exception):
            raise step
        if callable(step):
            step()
        return step

    def _leave(self, step: Step | None, key: str) -> None:
        if isinstance(step, Lost):
            if step.foreign is not None:
                self.objects[key] = step.foreign
            raise step.error

    def _check(self, key: str, condition: dict[str, str]) -> None:
        standing = self.objects.get(key)
        assert set(condition) in ({"IfMatch"}, {"IfNoneMatch"}), "a put without a condition"
        if condition.get("IfNoneMatch") == "*" and standing is not None:
            raise answer(412, "PreconditionFailed")
        if "IfMatch" in condition and standing is None:
            raise answer(404, "NoSuchKey")
        if "IfMatch" in condition and etag(standing or b"") != condition["IfMatch"]:
            raise answer(412, "PreconditionFailed")
