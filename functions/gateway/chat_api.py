"""The house's own chat: POST /api/chat and the stop of a turn.

Takes a request apart, calls the chat, puts the answer together; decides nothing. Invariant: a turn once begun goes on
without its listener, and only what fails before its first event is answered with a status of its own.
"""

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from functions.gateway.access import client_of
from functions.gateway.bodies import Fields, decoded, read_json
from functions.gateway.errors import JsonResponse
from functions.gateway.event_stream import HEADERS, MEDIA_TYPE, document
from functions.gateway.house import House
from functions.gateway.turns import Listener, Turns, frames
from paramecium import clock
from paramecium.chat.events import Ask, ChatEvent, Failed
from paramecium.errors import BadInput, NotAllowed
from paramecium.messages import Json, check_id
from paramecium.settings import Client

IMAGES_MAX = 100


class EventStream(StreamingResponse):
    """Is a turn's events as they come; whoever goes away, the turn is told."""

    def __init__(self, first: ChatEvent, listener: Listener, ping_after_s: float) -> None:
        super().__init__(frames(first, listener, ping_after_s), headers=HEADERS | {"content-type": MEDIA_TYPE})
        self._listener = listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the events until the last one, or until the client has gone."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._listener.leave()


class ChatDoor:
    """Serves the talk of every life."""

    def __init__(self, house: House, turns: Turns) -> None:
        self._house = house
        self._turns = turns

    async def talk(self, request: Request) -> Response:
        """Answers POST /api/chat with the turn's events, or with one document for "stream": false."""
        settings = self._house.settings
        fields = Fields(await read_json(request, settings.body_bytes_max))
        streamed = fields.flag("stream", default=True)
        client = client_of(request)
        # Who names the turn may send it again after an accident: it is then told again, and stored once.
        ask = await to_thread.run_sync(ask_from, fields, clock.new_id(), client)
        chat = await to_thread.run_sync(self._house.chat, client.life)
        listener = self._turns.start(chat, ask)
        first = await listener.first()
        if isinstance(first, Failed):
            listener.leave()
            return JsonResponse(*document([first]))
        if streamed:
            return EventStream(first, listener, settings.ping_after_s)
        return JsonResponse(*document(await _all(first, listener)))

    async def stop(self, request: Request) -> Response:
        """Answers POST /api/chat/{turn}/stop once the wish is noted; the turn ends soon after."""
        turn = check_id(request.path_params["turn"])
        chat = await to_thread.run_sync(self._house.chat, client_of(request).life)
        await chat.stop(turn)
        return JsonResponse({"turn": turn, "stopping": True}, 202)


def ask_from(fields: Fields, turn: str, client: Client) -> Ask:
    """Returns what a body of POST /api/chat asks, under `turn` unless it names a turn of its own, to be asked again.

    Raises BadInput naming a field, BadId, and NotAllowed for a client that is not kept.
    """
    if not client.archive:
        raise NotAllowed(f"what client {client.name} says is not kept (archive = false), and /api/chat keeps all")
    text = fields.text("message")
    images = tuple(_image(one, f"images[{i}]") for i, one in enumerate(fields.objects("images", most=IMAGES_MAX)))
    if text is None or not (text or images):
        raise BadInput("message must be a string with something in it, or come with images")
    return Ask(
        turn=check_id(fields.text("turn") or turn),
        text=text,
        conversation=fields.text("conversation", "conversation_id") or None,
        parent=fields.text("parent"),
        images=images,
        account=fields.text("account") or None,
        model=fields.text("model") or None,
        client=client.name,
        memory=client.memory,
        tools=client.tools,
    )


def _image(one: Json, name: str) -> bytes:
    fields = Fields(one)
    try:
        fields.text("media_type")
        data = fields.text("data")
    except BadInput as error:
        raise BadInput(f"{name}.{error}") from error
    if data is None:
        raise BadInput(f"{name}.data is missing")
    return decoded(data, f"{name}.data")


async def _all(first: ChatEvent, listener: Listener) -> list[ChatEvent]:
    events = [first]
    while more := await listener.more():
        events += more
    return events
