"""What a small model's service answers, read as one value: both dialects, and what they really send.

Pure. An answer of 200 may hold an error; content may be a string, a list of parts, or nothing; what a model thought
(`<think>…</think>` before the answer, reasoning fields beside it) is not its answer.
Invariant: of what the service sent only the answer's text, counts, and names from a fixed list come out of here: an
error of a service may repeat the words it was asked with.
"""

import json
import re
from typing import Any, Final, NamedTuple

from paramecium.errors import UpstreamError, UpstreamOverloaded, UpstreamTruncated
from paramecium.messages import Json
from paramecium.upstream.refusals import STATUS_OF, refusal

_BUSY: Final = 503
_OK: Final = 200
_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_STOP_REASONS: Final = {
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "refusal",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
}
# https://platform.openai.com/docs/guides/error-codes
_NAMED: Final = {
    **STATUS_OF,
    "invalid_api_key": 401,
    "insufficient_quota": 429,
    "rate_limit_exceeded": 429,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "server_error": 500,
}
_ADVICE: Final = {
    401: "check the account's api_key",
    402: "the account is out of credit",
    403: "check the account's api_key and what it may use",
    404: "check base_url and the model's name",
}


class SmallAnswer(NamedTuple):
    """Is one answer: its text, why it ended (Anthropic's word), {"input_tokens", "output_tokens"}, and who answered."""

    text: str
    stop_reason: str
    usage: Json
    model: str


def refused(status: int, body: bytes) -> UpstreamError:
    """Returns the error an answer with this status means; 429, 503 and 529 are overload."""
    try:
        error = _json(body).get("error")
    except UpstreamError:
        error = None
    return _refusal(status, _name(error))


def answer_in(body: bytes) -> SmallAnswer:
    """Returns the answer a body of status 200 holds.

    Raises UpstreamTruncated for JSON that breaks off, and what an error inside of it means.
    """
    value = _json(body)
    if value.get("error"):
        raise _inner(value["error"])
    try:
        return _openai(value) if "choices" in value else _anthropic(value)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise UpstreamError("the model's service sent an answer without text; check base_url and kind") from error


def _json(body: bytes) -> Json:
    text = body.decode("utf-8-sig", "replace")
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] == "{":
            raise UpstreamTruncated("the answer of the model's service broke off") from error
        raise UpstreamError("what the model's service sent is no JSON; check base_url") from error
    if not isinstance(value, dict):
        raise UpstreamError("what the model's service sent is no JSON object; check base_url")
    return value


def _openai(value: Json) -> SmallAnswer:
    choice = value["choices"][0]
    reason = choice.get("finish_reason") or ""
    if choice.get("error") or reason == "error":
        raise _inner(choice.get("error"))
    usage = value.get("usage") or {}
    counts = {"input_tokens": usage.get("prompt_tokens"), "output_tokens": usage.get("completion_tokens")}
    text = _text(choice["message"].get("content"))
    return SmallAnswer(text, _STOP_REASONS.get(reason, str(reason)), _counts(counts), str(value.get("model") or ""))


def _anthropic(value: Json) -> SmallAnswer:
    usage = value.get("usage") or {}
    counts = {name: usage.get(name) for name in ("input_tokens", "output_tokens")}
    text = _text(value["content"])
    return SmallAnswer(text, str(value.get("stop_reason") or ""), _counts(counts), str(value.get("model") or ""))


def _text(content: Any) -> str:
    """Returns the text of a string or of a list of parts, of which those that are not text say nothing."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if part.get("type", "text") in ("text", "output_text"))
        content = "".join(part for part in parts if isinstance(part, str))
    if content is not None and not isinstance(content, str):
        raise TypeError("content is neither text nor parts")
    return _THOUGHT.sub("", content or "", count=1) if _THOUGHT.match(content or "") else content or ""


def _counts(counts: Json) -> Json:
    return {name: n for name, n in counts.items() if isinstance(n, int) and not isinstance(n, bool) and n >= 0}


def _inner(error: Any) -> UpstreamError:
    """Returns the error that stands in an answer of 200; a number it gives as its code is its status."""
    code = error.get("code") if isinstance(error, dict) else None
    name = _name(error)
    if isinstance(code, int) and not isinstance(code, bool) and _OK < code < 600:
        return _refusal(code, name)
    return _refusal(_NAMED.get(name, 500), name)


def _name(error: Any) -> str:
    """Returns what kind of error it says it is, if that is one of the known ones."""
    if not isinstance(error, dict):
        return ""
    return next((n for n in (error.get("code"), error.get("type")) if isinstance(n, str) and n in _NAMED), "")


def _refusal(status: int, name: str) -> UpstreamError:
    said = "; ".join(filter(None, (name, _ADVICE.get(status, ""))))
    if status == _BUSY:
        return UpstreamOverloaded(f"the model's service is overloaded or limits us ({status}): {said or 'try later'}")
    return refusal(status, said)
