"""What was said, listed, read and searched: /api/conversations and /api/recall.

Knows the fields of a request and their bounds; whatever waits for a disk runs in a thread.
"""

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from functions.gateway.access import client_of
from functions.gateway.bodies import Fields, read_json
from functions.gateway.errors import JsonResponse
from functions.gateway.house import House
from paramecium.errors import NotAllowed
from paramecium.messages import Json

LISTED_MAX = 500
LISTED = 50
WINDOWS_MAX = 50
WINDOWS = 8


class ConversationsDoor:
    """Serves what every life has said."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def list(self, request: Request) -> Response:
        """Answers GET /api/conversations?limit=&before=, newest first."""
        asked = Fields(request.query_params)
        limit, before = asked.number("limit", default=LISTED, most=LISTED_MAX), asked.text("before") or None
        life = client_of(request).life
        found = await to_thread.run_sync(lambda: self._house.catalogue(life).list(limit, before))
        return JsonResponse({"conversations": found})

    async def read(self, request: Request) -> Response:
        """Answers GET /api/conversations/{conversation}, by its own id or the original one."""
        name, life = request.path_params["conversation"], client_of(request).life
        return JsonResponse(await to_thread.run_sync(lambda: self._house.catalogue(life).read(name)))

    async def recall(self, request: Request) -> Response:
        """Answers POST /api/recall; a person's search, so nothing is marked as remembered."""
        client = client_of(request)
        if not client.memory:
            raise NotAllowed(f"client {client.name} may not look anything up (memory = false)")
        query = query_from(Fields(await read_json(request, self._house.settings.body_bytes_max)))
        return JsonResponse(await to_thread.run_sync(self._house.search, client.life, query))


def query_from(fields: Fields) -> Json:
    """Returns the query a body of POST /api/recall is; raises BadInput naming a field of a wrong type."""
    return {
        "query": fields.text("query") or "",
        "exact": fields.flag("exact", default=False),
        "after": fields.text("after"),
        "before": fields.text("before"),
        "conversation": fields.text("conversation", "conversation_id"),
        "n": fields.number("n", default=WINDOWS, most=WINDOWS_MAX),
        "cursor": fields.text("cursor"),
    }
