"""How a process comes to its parts: from the command line's options, or from its environment."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium.errors import BadSetting
from paramecium.wiring.parts import Parts

if TYPE_CHECKING:
    from paramecium.settings import Settings


def default_settings() -> "Settings":
    """Returns the settings without a configuration: Anthropic when its key is in the environment, else the parrot."""
    from paramecium.settings import DEFAULT_ANTHROPIC_MODELS, Settings, settings_from

    key = os.environ.get("ANTHROPIC_API_KEY", "").strip()
    if not key:
        return Settings()
    base_url = os.environ.get("ANTHROPIC_BASE_URL", "")
    account = {"name": "anthropic", "kind": "anthropic", "api_key": key, "models": DEFAULT_ANTHROPIC_MODELS}
    return settings_from({"accounts": [account | ({"base_url": base_url} if base_url else {})]}, "the environment")


def build_parts(settings: "Settings", *, data: Path | None = None, bucket: str | None = None) -> Parts:
    """Returns the parts over a folder, or over a bucket given as s3://NAME; raises BadSetting."""
    if bucket is None:
        from paramecium.store.local import LocalStore

        folder = data or Path("data")
        _check_folder(folder)
        return Parts(settings, LocalStore(folder), cache_folder=folder / ".cache")
    name = bucket.removeprefix("s3://")
    if not bucket.startswith("s3://") or not name or "/" in name:
        raise BadSetting(f"--store takes s3:// and the name of a bucket, not {bucket!r:.80}")
    from paramecium.store.s3 import S3Store

    return Parts(settings, S3Store(name))


def parts_from_environment() -> Parts:
    """Returns the parts a server process is told of by its environment.

    PARAMECIUM_CONFIG_TEXT or PARAMECIUM_CONFIG (a file), PARAMECIUM_DATA (a folder) or PARAMECIUM_STORE (s3://NAME).
    """
    if _handed:
        return _handed[0]
    data, bucket = os.environ.get("PARAMECIUM_DATA"), os.environ.get("PARAMECIUM_STORE")
    if data and bucket:
        raise BadSetting("PARAMECIUM_DATA and PARAMECIUM_STORE exclude each other: name the folder or the bucket")
    return build_parts(_settings_of_environment(), data=Path(data or "data"), bucket=bucket or None)


def _settings_of_environment() -> "Settings":
    from paramecium.settings import read_settings

    text, file = os.environ.get("PARAMECIUM_CONFIG_TEXT"), os.environ.get("PARAMECIUM_CONFIG")
    if text is None and file is None:
        return default_settings()
    try:
        text = text if text is not None else Path(file or "").read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"PARAMECIUM_CONFIG names {file}, which cannot be read: {error}") from error
    return read_settings(text, "PARAMECIUM_CONFIG_TEXT" if file is None else file)


def _check_folder(folder: Path) -> None:
    """Refuses what can be no archive; a folder that is not there yet is begun by the first write."""
    try:
        with os.scandir(folder):
            return
    except FileNotFoundError:
        if not folder.is_symlink():
            return
        raise BadSetting(f"{folder} points to a folder that is not there; is its disk mounted?") from None
    except OSError as error:
        raise BadSetting(f"{folder} cannot be the data folder: {error.strerror}; name another with --data") from error


_handed: list[Parts] = []


def hand_over(parts: Parts) -> None:
    """Gives the parts to the server this process is about to start, which asks `parts_from_environment`."""
    _handed[:] = [parts]


def probe(parts: Parts) -> None:
    """Raises StoreUnavailable when the store cannot keep what it promises; a folder is tried, a bucket is not."""
    from paramecium.store.local import LocalStore

    if isinstance(parts.store, LocalStore):
        parts.store.probe()


def check_place(parts: Parts) -> None:
    """Raises StoreUnavailable when the store's folder lies where a sync program or a network would harm it."""
    from paramecium.store.local import LocalStore

    if isinstance(parts.store, LocalStore):
        parts.store.check_place()


def add_jobs(parts: Parts, tell: Callable[[str], None], lives: Sequence[str]) -> None:
    """Has the jobs of these lives run beside the server, at once when it starts and then on their cadence."""

    def jobs() -> None:
        from paramecium.jobs.schedule import run_jobs

        work = [(life, parts.of(life)) for life in lives]
        run_jobs(work, parts.stopping, parts.settings.timezone, tell)

    parts.background.append(jobs)
