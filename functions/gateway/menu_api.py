"""What the menu would be for a text: GET /api/menu. A person's look, so nothing is marked as remembered."""

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from functions.gateway.access import client_of
from functions.gateway.bodies import Fields
from functions.gateway.errors import JsonResponse
from functions.gateway.house import House
from paramecium.errors import NotAllowed


class MenuDoor:
    """Shows menus."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def preview(self, request: Request) -> Response:
        """Answers GET /api/menu?text=&conversation=&at=; only `text` must be there."""
        client = client_of(request)
        if not client.memory:
            raise NotAllowed(f"client {client.name} may not look anything up (memory = false)")
        asked = Fields(request.query_params)
        text, conversation, at = asked.text("text") or "", asked.text("conversation") or None, asked.text("at") or None
        return JsonResponse(await to_thread.run_sync(self._house.preview, client.life, text, conversation, at))
