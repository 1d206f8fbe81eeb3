"""What a model's service says when it will not answer, as errors of ours; shared by the adapters.

Knows statuses, the error bodies of the dialects, and how to keep a secret out of a sentence.
Invariant: a message is at most 500 characters and never holds the key the request was sent with.
"""

import json
from typing import Any, Final

from paramecium.errors import UpstreamError, UpstreamOverloaded, UpstreamRefused

MESSAGE_CHARS_MAX: Final = 500
_OVERLOADED: Final = (429, 529)
# https://platform.claude.com/docs/en/api/errors
STATUS_OF: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def refusal(status: int, message: str, secret: str = "") -> UpstreamError:
    """Returns the error a status means; 429 and 529 are overload."""
    if secret:
        message = message.replace(secret, "…")
    message = message[:MESSAGE_CHARS_MAX] or "no reason given"
    if status in _OVERLOADED:
        return UpstreamOverloaded(f"the model's service is overloaded or limits us ({status}): {message}")
    return UpstreamRefused(status, message)


def refusal_in_stream(error: Any, secret: str = "") -> UpstreamError:
    """Returns the error an `error` event in a stream means; a type that is not known counts as 500."""
    kind = error.get("type") if isinstance(error, dict) else None
    return refusal(STATUS_OF.get(str(kind), 500), _message({"error": error}) or str(kind), secret)


def refusal_in_body(status: int, body: bytes, secret: str = "") -> UpstreamError:
    """Returns the error an answer with `status` and `body` means; a body that is no JSON is quoted."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    return refusal(status, _message(parsed) or text, secret)


def _message(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""
