"""How a process comes to its parts."""

import threading
from pathlib import Path

import pytest

from paramecium.errors import BadSetting, StoreUnavailable
from paramecium.settings import Settings
from paramecium.store.local import LocalStore
from paramecium.store.s3 import S3Store
from paramecium.wiring import (
    add_jobs,
    build_parts,
    default_settings,
    hand_over,
    parts_from_environment,
    probe,
    start,
)
from tests.seaweed import Seaweed

VARIABLES = (
    *("PARAMECIUM_CONFIG", "PARAMECIUM_CONFIG_TEXT", "PARAMECIUM_DATA", "PARAMECIUM_STORE"),
    *("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Starts every test with none of our variables, in an empty folder, with nothing handed over."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(start, "_handed", [])
    monkeypatch.chdir(tmp_path)


def test_without_anything_a_parrot_over_a_folder() -> None:
    """No variable and no configuration: ./data, the defaults, the parrot."""
    parts = parts_from_environment()
    assert parts.settings == Settings()
    assert isinstance(parts.store, LocalStore)
    assert parts.store.folder == Path("data")
    assert default_settings().accounts[0].kind == "parrot"


def test_a_key_in_the_environment_is_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """ANTHROPIC_API_KEY makes the one account, ANTHROPIC_BASE_URL its address; blank space is no key."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", " sk-ant-1\n")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    (account,) = parts_from_environment().settings.accounts
    assert (account.name, account.kind, account.base_url) == ("anthropic", "anthropic", "http://127.0.0.1:9")
    assert account.api_key.get_secret_value() == "sk-ant-1"
    assert "sk-ant-1" not in repr(account)
    monkeypatch.setenv("ANTHROPIC_API_KEY", " ")
    assert default_settings().accounts[0].kind == "parrot"


def test_the_configuration_is_a_file_or_a_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PARAMECIUM_CONFIG names a file; PARAMECIUM_CONFIG_TEXT is the document and goes before it."""
    (tmp_path / "c.toml").write_text('person = "文件"', "utf-8")
    monkeypatch.setenv("PARAMECIUM_CONFIG", str(tmp_path / "c.toml"))
    assert parts_from_environment().settings.person == "文件"
    monkeypatch.setenv("PARAMECIUM_CONFIG_TEXT", 'person = "环境"')
    assert parts_from_environment().settings.person == "环境"
    monkeypatch.setenv("PARAMECIUM_CONFIG_TEXT", 'token = ["secret"')
    with pytest.raises(BadSetting, match="is not TOML") as told:
        parts_from_environment()
    assert "secret" not in str(told.value)


def test_a_configuration_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A named file must be there."""
    monkeypatch.setenv("PARAMECIUM_CONFIG", "no.toml")
    with pytest.raises(BadSetting, match=r"no\.toml"):
        parts_from_environment()


def test_a_folder_or_a_bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seaweed: Seaweed) -> None:
    """PARAMECIUM_DATA names a folder, PARAMECIUM_STORE a bucket, both at once are refused."""
    for name, value in seaweed.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PARAMECIUM_DATA", str(tmp_path / "there"))
    store = parts_from_environment().store
    assert isinstance(store, LocalStore)
    assert store.folder == tmp_path / "there"
    monkeypatch.setenv("PARAMECIUM_STORE", "s3://bucket")
    with pytest.raises(BadSetting, match="exclude each other"):
        parts_from_environment()
    monkeypatch.delenv("PARAMECIUM_DATA")
    store = parts_from_environment().store
    assert isinstance(store, S3Store)
    assert store.bucket == "bucket"


def test_the_same_house_stands_over_a_bucket(monkeypatch: pytest.MonkeyPatch, seaweed: Seaweed, tmp_path: Path) -> None:
    """With the same settings a bucket keeps and finds what a folder does."""
    for name, value in seaweed.environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "f.jsonl").write_text('{"id": "c", "messages": [{"role": "user", "content": "砚台胖了"}]}', "utf-8")
    found = []
    for parts in (
        build_parts(Settings(), data=tmp_path / "d"),
        build_parts(Settings(), bucket=f"s3://{seaweed.new_bucket()}"),
    ):
        probe(parts)
        assert parts.of("main").import_file(tmp_path / "f.jsonl").added == 1
        found.append(parts.search("main", {"query": "砚台", "exact": True}))
    assert found[0] == found[1]
    assert [w["text"] for w in found[0]["windows"]] == ["砚台胖了"]


@pytest.mark.parametrize("bucket", ["bucket", "s3://", "s3://a/b", "S3://a", "gs://a", ""])
def test_a_bucket_has_one_way_to_be_named(bucket: str) -> None:
    """Anything but s3://NAME is refused with the right form."""
    with pytest.raises(BadSetting, match="--store takes s3://"):
        build_parts(Settings(), bucket=bucket)


def test_what_is_handed_over_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server in this process gets the very parts it was started with."""
    monkeypatch.setenv("PARAMECIUM_CONFIG", "no.toml")
    parts = build_parts(Settings())
    hand_over(parts)
    assert parts_from_environment() is parts


def test_a_folder_that_cannot_hold_a_store_is_refused(tmp_path: Path) -> None:
    """What is no folder is refused at once, what cannot be written by the probe."""
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(BadSetting, match="cannot be the data folder"):
        build_parts(Settings(), data=tmp_path / "f")
    with pytest.raises(StoreUnavailable):
        probe(build_parts(Settings(), data=Path("/proc/paramecium")))


def test_jobs_run_for_the_lives_that_are_named(tmp_path: Path) -> None:
    """add_jobs has the jobs run in the background, each life's once at the start."""
    parts = build_parts(Settings(), data=tmp_path / "data")
    told: list[str] = []
    add_jobs(parts, told.append, ["main", "work"])
    jobs = threading.Thread(target=parts.background[-1])
    jobs.start()
    try:
        for life in ("main", "work"):
            while parts.of(life).last_fulltext() is None:
                assert jobs.is_alive(), told
    finally:
        parts.stopping.set()
        jobs.join(20)
    assert not jobs.is_alive()
    assert [line[:14] for line in told] == ["extract is off"]
