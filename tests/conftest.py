"""Fixtures of all tests: one S3 server a session, started when the first test asks for it."""

from collections.abc import Iterator

import pytest

from tests.seaweed import Seaweed, serving


@pytest.fixture(scope="session")
def seaweed() -> Iterator[Seaweed]:
    """Gives the one S3 server of the session."""
    with serving() as server:
        yield server
