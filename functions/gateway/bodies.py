"""Bodies and query strings, taken apart: bytes in, checked values out.

Knows limits and types; knows no route. Invariant: of a body over the limit no more than the limit is ever held, and
every refusal names its field.
"""

import base64
from collections.abc import Mapping
from typing import Any

from anyio import to_thread
from starlette.requests import Request

from paramecium.errors import BadInput, TooLarge
from paramecium.messages import Json, load_json

THREAD_BYTES = 1_000_000
_BLANK = dict.fromkeys(map(ord, " \t\r\n"))


async def read_json(request: Request, bytes_max: int) -> Json:
    """Returns the JSON object of a body; raises TooLarge over `bytes_max`, BadInput for anything that is none."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > bytes_max:
        raise _too_large(bytes_max)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > bytes_max:
            raise _too_large(bytes_max)
    # A big body is parsed for so long that other turns would stand still.
    value = await to_thread.run_sync(load_json, bytes(body)) if len(body) > THREAD_BYTES else load_json(bytes(body))
    if not isinstance(value, dict):
        raise BadInput("the body must be a JSON object")
    return value


class Fields:
    """Reads the known fields of an object by type; null is the same as absent, unknown fields are let be."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def text(self, *names: str) -> str | None:
        """Returns the first of the fields that is there, a string."""
        for name in names:
            value = self._values.get(name)
            if value is not None:
                if not isinstance(value, str):
                    raise BadInput(f"{name} must be a string")
                return value
        return None

    def flag(self, name: str, *, default: bool) -> bool:
        """Returns a boolean field."""
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be true or false")
        return value

    def number(self, name: str, *, default: int, most: int) -> int:
        """Returns a whole number from 1 to `most`, as JSON has it or as a query string does."""
        value = self._values.get(name)
        if value is None:
            return default
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value[:20])
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise BadInput(f"{name} must be a whole number from 1 to {most}")
        return value

    def objects(self, name: str, *, most: int) -> list[Json]:
        """Returns a list of at most `most` objects."""
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise BadInput(f"{name} must be a list of objects")
        if len(value) > most:
            raise BadInput(f"{name} has {len(value)} of them, at most {most} may come at once")
        return value


def decoded(data: str, name: str) -> bytes:
    """Returns the bytes of base64, also inside a data: URL; raises BadInput naming the field."""
    if data[:5].lower() == "data:":
        header, comma, data = data.partition(",")
        if not comma or not header.lower().endswith(";base64"):
            raise BadInput(f"{name} is a data: URL without base64")
    try:
        body = base64.b64decode(data.translate(_BLANK), validate=True)
    except ValueError as error:
        raise BadInput(f"{name} is not base64: {error}") from error
    if not body:
        raise BadInput(f"{name} is empty")
    return body


def _too_large(bytes_max: int) -> TooLarge:
    return TooLarge(f"the body is over {bytes_max} bytes, the most that may come here")
