"""Starts a real uvicorn on a free loopback port, in the event loop of the test."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from starlette.types import ASGIApp

from tests.functions.gateway.asgi import BEARER


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    """Yields a client of the running server, with the owner's token; stops the server afterwards."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # from here on connections wait until the server takes them
        config = uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        base_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            async with httpx.AsyncClient(base_url=base_url, headers=BEARER, timeout=20, trust_env=False) as client:
                yield client
        finally:
            server.should_exit = True
            await running
