"""The events of a turn as server-sent events, and as one document.

Pure: events in, bytes and values out. Invariant: an event is one `event:` line, one `data:` line and a blank line,
whatever characters a text has; a comment never stands inside one.
"""

from collections.abc import Mapping, Sequence

from paramecium.chat.events import ChatEvent, Done, Failed, Started, Text, Thinking, ToolStep
from paramecium.messages import Json, dump_json

MEDIA_TYPE = "text/event-stream; charset=utf-8"
# Proxies that gather or change a stream are told not to.
HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}
PING = b": ping\n\n"

# Readers exist that end a line at these too (str.splitlines, httpx.iter_lines); escaped, no reader can.
_LINE_ENDS = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))


def frame(event: ChatEvent) -> bytes:
    """Returns one event as it goes over the wire."""
    name, data = _named(event)
    body = dump_json(data)
    for raw, escaped in _LINE_ENDS:
        body = body.replace(raw, escaped)
    return b"event: " + name + b"\ndata: " + body + b"\n\n"


def document(events: Sequence[ChatEvent]) -> tuple[Json, int]:
    """Returns a whole turn as one document, with the status it is answered with."""
    out: Json = {"turn": "", "conversation": "", "asked": "", "thinking": "", "text": "", "tools": []}
    status = 200
    out["text"] = "".join(e.text for e in events if isinstance(e, Text))
    out["thinking"] = "".join(e.text for e in events if isinstance(e, Thinking))
    for event in events:
        match event:
            case Started():
                out["asked"] = event.message
            case ToolStep():
                out["tools"].append(_named(event)[1])
            case Failed():
                out |= _named(event)[1]
                status = event.status
            case Done():
                out |= _named(event)[1]
    return out, status


def summed(rounds: Sequence[Mapping[str, object]]) -> Json:
    """Returns the sum of all numbers of the rounds, key by key, also one inside the other."""
    total: Json = {}
    for usage in rounds:
        for key, value in usage.items():
            if isinstance(value, Mapping):
                before = total.get(key)
                total[key] = summed([before, value] if isinstance(before, Mapping) else [value])
            elif isinstance(value, int | float) and not isinstance(value, bool):
                before = total.get(key)
                total[key] = value + (before if isinstance(before, int | float) else 0)
    return total


def _named(event: ChatEvent) -> tuple[bytes, Json]:
    match event:
        case Text():
            return b"text", {"text": event.text}
        case Thinking():
            return b"thinking", {"text": event.text}
        case Started():
            return b"start", {"turn": event.turn, "conversation": event.conversation, "message": event.message}
        case ToolStep():
            call = {"id": event.id, "name": event.name, "state": event.state}
            return b"tool", {**call, "input": event.input, "content": event.content}
        case Failed():
            return b"error", {"error": {"type": event.kind, "message": event.message}}
        case Done():
            ids = {"turn": event.turn, "conversation": event.conversation, "message": event.message}
            usage = {"rounds": list(event.usage), "total": summed(event.usage)}
            told = {"status": event.status, "usage": usage, "model": event.model, "account": event.account}
            return b"done", {**ids, **told}
