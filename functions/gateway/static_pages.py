"""The pages that need no token: files beside this one, read once when the door is built.

Invariant: a page holds no script of its own, and the one thing of a request that enters it (the address it came to) is
escaped.
"""

import html
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

_FOLDER = Path(__file__).parent / "pages"
_MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class Pages:
    """Serves the pages and what they load."""

    def __init__(self) -> None:
        self._front = (_FOLDER / "index.html").read_text("utf-8")
        self._files = {p.name: p.read_bytes() for p in sorted(_FOLDER.iterdir()) if p.suffix in _MEDIA_TYPES}

    async def front(self, request: Request) -> Response:
        """Answers GET /: that the server runs, and what to do next."""
        forwarded = request.headers.get("x-forwarded-proto", "")
        scheme = forwarded if forwarded in ("http", "https") else request.url.scheme
        base_url = f"{scheme}://{request.headers.get('host', request.url.netloc)}"
        page = self._front.replace("{{base_url}}", html.escape(base_url))
        headers = {"content-security-policy": _POLICY}
        return Response(page, headers=headers, media_type="text/html")

    async def file(self, request: Request) -> Response:
        """Answers GET /pages/{name} for a file of the pages."""
        name = request.path_params["name"]
        if name not in self._files:
            raise HTTPException(404)
        headers = {"cache-control": "public, max-age=300"}
        return Response(self._files[name], headers=headers, media_type=_MEDIA_TYPES[Path(name).suffix])
