"""How a process comes to its parts: from the command line's options, or from its environment."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from paramecium.errors import BadSetting
from paramecium.settings import DEFAULT_ANTHROPIC_MODELS, Settings, read_settings, settings_from
from paramecium.wiring.parts import Parts


def default_settings() -> Settings:
    """Returns the settings without a configuration: Anthropic when its key is in the environment, else the parrot."""
    key = os.environ.get("ANTHROPIC_API_KEY")
    if not key:
        return Settings()
    base_url = os.environ.get("ANTHROPIC_BASE_URL", "")
    account = {"name": "anthropic", "kind": "anthropic", "api_key": key, "models": DEFAULT_ANTHROPIC_MODELS}
    return settings_from({"accounts": [account | ({"base_url": base_url} if base_url else {})]}, "the environment")


def build_parts(settings: Settings, *, data: Path | None = None, bucket: str | None = None) -> Parts:
    """Returns the parts over a folder, or over a bucket given as s3://NAME; raises BadSetting."""
    if bucket is None:
        from paramecium.store.local import LocalStore

        folder = data or Path("data")
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
    env = os.environ
    text, file = env.get("PARAMECIUM_CONFIG_TEXT"), env.get("PARAMECIUM_CONFIG")
    if text is None and file is not None:
        text = Path(file).read_text(encoding="utf-8")
    settings = default_settings() if text is None else read_settings(text, file or "PARAMECIUM_CONFIG_TEXT")
    bucket = env.get("PARAMECIUM_STORE")
    return build_parts(settings, data=Path(env.get("PARAMECIUM_DATA", "data")), bucket=bucket)


_handed: list[Parts] = []


def hand_over(parts: Parts) -> None:
    """Gives the parts to the server this process is about to start, which asks `parts_from_environment`."""
    _handed[:] = [parts]


def probe(parts: Parts) -> None:
    """Raises StoreUnavailable when the store cannot keep what it promises; a folder is tried, a bucket is not."""
    from paramecium.store.local import LocalStore

    if isinstance(parts.store, LocalStore):
        parts.store.probe()


def start_jobs(parts: Parts, tell: Callable[[str], None]) -> None:
    """Starts the jobs of every life in a thread of their own, at once and then on their cadence."""
    from paramecium.jobs.schedule import run_jobs

    work = [(life, parts.of(life)) for life in parts.settings.lives]
    jobs = threading.Thread(target=run_jobs, args=(work, parts.stopping, parts.settings.timezone, tell), daemon=True)
    jobs.start()
