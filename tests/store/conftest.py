"""The stores under test: in memory, in a folder, and in a bucket of moto and of a real S3 server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from moto import mock_aws

from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from paramecium.store.s3 import S3Store
from tests.seaweed import Seaweed

KINDS = ("ram", "local", "moto", "seaweed")


@pytest.fixture(scope="session")
def seaweed_store(seaweed: Seaweed) -> S3Store:
    """Gives a store whose client comes from the default chain, as in a function or on the command line."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in seaweed.environment.items():
            patch.setenv(name, value)
        return S3Store(seaweed.new_bucket())


@pytest.fixture
def moto_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Store]:
    """Gives a store in a bucket of moto, in this process."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        store = S3Store("bucket")
        store._client.create_bucket(Bucket="bucket")
        yield store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    """Gives an empty store of each kind."""
    match request.param:
        case "ram":
            yield RamStore()
        case "local":
            yield LocalStore(tmp_path / "data")
        case kind:
            bucket: S3Store = request.getfixturevalue(f"{kind}_store")
            yield bucket
            for key in list(bucket.list("")):
                bucket.delete(key)
