"""A service that speaks Anthropic's streaming Messages API and answers at once.

`python -m evals.bench.fake_upstream N` prints its port. The model `once` gets a few pieces of text in one write,
`flood` N of them, each a chunk of its own, as fast as they can be written. Answers are made before the first request.
"""

import asyncio
import sys
from collections.abc import Iterator
from typing import Final

from evals.bench.servers import FLOOD
from paramecium.messages import Json, dump_json, load_json

PIECE: Final = "好的"
PIECES_ONCE: Final = 5
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_LAST = b"0\r\n\r\n"
_AT_ONCE = 64


def answer(pieces: int) -> list[bytes]:
    """Returns the chunks of a whole answer with that many pieces of text."""
    return [_chunk(event) for event in _events(pieces)]


def _events(pieces: int) -> Iterator[Json]:
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake", "content": [], "usage": usage}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for _ in range(pieces):
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": PIECE}}
    yield {"type": "content_block_stop", "index": 0}
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": pieces}}
    yield {"type": "message_stop"}


def _chunk(event: Json) -> bytes:
    data = f"event: {event['type']}\ndata: ".encode() + dump_json(event) + b"\n\n"
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


class Service:
    """Answers every request of a connection, one after the other."""

    def __init__(self, flood: int) -> None:
        self._once = answer(PIECES_ONCE)
        self._flood = answer(flood)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection until the other side closes it."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(_content_length(head))
                chunks = self._flood if load_json(body)["model"] == FLOOD else self._once
                writer.write(_HEAD)
                for at in range(0, len(chunks), _AT_ONCE):
                    writer.write(b"".join(chunks[at : at + _AT_ONCE]))
                    await writer.drain()
                writer.write(_LAST)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def run(flood: int) -> None:
    """Listens at a free port of this machine until it is ended."""
    server = await asyncio.start_server(Service(flood).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(run(int(sys.argv[1])))
