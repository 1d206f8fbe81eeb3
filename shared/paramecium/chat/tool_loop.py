"""The rounds of one turn: ask the model, run the tools it calls, ask again; ten times at most.

Knows stop reasons and when enough was looked up. Tools stay in every request, so that the cache stays whole.
Invariant: every call of a tool is answered in the very next message, in order.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

import anyio

from paramecium.chat.answer import Answer
from paramecium.chat.ending import Ending
from paramecium.chat.tools import Result, Tools
from paramecium.errors import UpstreamTruncated
from paramecium.messages import Json, Status
from paramecium.upstream.base import Finished, Request, Upstream

ROUNDS_MAX: Final = 10
# https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
_ENDS: Final = ("end_turn", "stop_sequence", "tool_use", "refusal")
_CUT: Final = ("max_tokens", "model_context_window_exceeded")

Requesting = Callable[[Sequence[Json]], Request]


async def run_rounds(upstream: Upstream, request: Requesting, tools: Tools, answer: Answer, ending: Ending) -> Status:
    """Returns how the turn ended; `request` makes the next call out of the rounds so far, in a thread.

    Raises UpstreamError, and Interrupted when the turn was stopped or its time is up.
    """
    for number in range(1, ROUNDS_MAX + 1):
        call = await ending.guard(lambda: anyio.to_thread.run_sync(request, tuple(answer.rounds)))
        finished = await _ask(upstream, call, answer, ending)
        calls = [block for block in finished.blocks if block.get("type") == "tool_use"]
        if finished.stop_reason in _CUT:
            return "incomplete"
        if finished.stop_reason == "refusal" or (not calls and finished.stop_reason in _ENDS):
            return "complete"
        if calls:
            # What the last round but one asks for is not looked up: the last one is there to answer.
            may_look = number < ROUNDS_MAX - 1
            answer.add_results([await _run(tools, c, ending, may_look=may_look) for c in calls])
        elif finished.stop_reason != "pause_turn":
            return "incomplete"
    return "incomplete"


async def _ask(upstream: Upstream, request: Request, answer: Answer, ending: Ending) -> Finished:
    events = upstream.stream(request)
    try:
        while (event := await ending.guard(lambda: anext(events, None))) is not None:
            answer.hear(event)
            if isinstance(event, Finished):
                return event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
    raise UpstreamTruncated("the stream of the model's service ended without its end")


async def _run(tools: Tools, call: Json, ending: Ending, *, may_look: bool) -> Result:
    return await ending.guard(lambda: tools.run(call, may_look=may_look))
