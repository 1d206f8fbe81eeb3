"""What the gateway's tests share: asynchronous tests run on asyncio, as uvicorn does."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"
