"""What every command starts from: the global options, made into parts on first use; and how results are shown."""

import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium.errors import BadSetting
from paramecium.messages import Json, dump_json

if TYPE_CHECKING:
    from paramecium.settings import Settings
    from paramecium.wiring.life import LifeParts
    from paramecium.wiring.parts import Parts

CONFIG_DEFAULT = Path("paramecium.toml")
DATA_DEFAULT = Path("data")
LIFE_DEFAULT = "main"


@dataclass
class Context:
    """Holds the global options of one call."""

    data: Path | None
    bucket: str | None
    named_life: str | None
    config: Path | None

    def __post_init__(self) -> None:
        if self.data is not None and self.bucket is not None:
            raise BadSetting("--data and --store exclude each other: name the folder or the bucket of the archive")

    @property
    def folder(self) -> Path:
        """Returns the folder of the archive."""
        return self.data or DATA_DEFAULT

    @property
    def command(self) -> str:
        """Returns the beginning of a command that means the same place as this one, to be shown to a person."""
        named = {"data": self.data, "store": self.bucket, "life": self.named_life, "config": self.config}
        given = (f"--{name} {shlex.quote(str(value))}" for name, value in named.items() if value is not None)
        return " ".join(["paramecium", *given])

    @property
    def life(self) -> str:
        """Returns the life that is meant."""
        return LIFE_DEFAULT if self.named_life is None else self.named_life

    @cached_property
    def settings(self) -> "Settings":
        """Returns the configuration; a named file must be there, at the default place none means defaults."""
        return read_config(self.config)

    @cached_property
    def parts(self) -> "Parts":
        """Returns the parts of the house."""
        from paramecium.wiring import build_parts

        return build_parts(self.settings, data=self.folder, bucket=self.bucket)

    @property
    def life_parts(self) -> "LifeParts":
        """Returns the parts of the life that is meant."""
        return self.parts.of(self.life)

    @property
    def worked(self) -> "list[LifeParts]":
        """Returns the lives a job goes over: the one that is named, else every life of the configuration."""
        names = self.settings.lives if self.named_life is None else [self.named_life]
        lives = [self.parts.of(name) for name in names]
        self.note_if_new()
        return lives

    def begin(self) -> "LifeParts":
        """Returns the life that is about to be written to, once its place is looked at and who speaks is said."""
        from paramecium.wiring import check_place

        check_place(self.parts)
        if sys.stderr.isatty():
            self._say_who_speaks()
        return self.life_parts

    def _say_who_speaks(self) -> None:
        if self.config is None and not CONFIG_DEFAULT.exists():
            tell(
                f"note: no {CONFIG_DEFAULT} here, so names are {self.settings.person} and {self.settings.ai}, "
                f"times are of {self.settings.timezone}; `paramecium init` writes one, --config names another"
            )
        elif os.environ.get("ANTHROPIC_API_KEY") and all(a.kind != "anthropic" for a in self.settings.accounts):
            tell("note: ANTHROPIC_API_KEY is set, but the configuration has no account of kind anthropic to use it")

    def note_if_new(self) -> None:
        """Tells a person who looks into a folder that is not there, perhaps for a slip of the pen."""
        if self.bucket is None and not self.folder.exists():
            tell(f"note: there is no folder {self.folder} yet; `import`, `chat` or `serve` begins an archive in it")


def read_config(path: Path | None) -> "Settings":
    """Returns the settings of a configuration file; raises BadSetting. Warns when others can read it."""
    file = path or CONFIG_DEFAULT
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        if path is None:
            return defaults()
        raise BadSetting(f"there is no configuration at {path}; `paramecium init` writes one") from error
    except OSError as error:
        raise BadSetting(f"the configuration {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadSetting(f"the configuration {file} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        tell(f"warning: others can read {file}, which holds your keys; `chmod 600 {file}` closes it")
    from paramecium.settings import read_settings

    return read_settings(text, str(file))


def defaults() -> "Settings":
    """Returns the settings without a configuration: the real upstream when its key is in the environment."""
    from paramecium.wiring import default_settings

    return default_settings()


def count(number: int, what: str) -> str:
    """Returns the number with its word, in the singular for one."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def on_one_line(text: str) -> str:
    """Returns a text with its line breaks and runs of blanks as single blanks."""
    return " ".join(text.split())


def tell(line: str) -> None:
    """Shows a person a line, on standard error."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def show_json(value: Json) -> None:
    """Prints one document of JSON on standard output."""
    sys.stdout.buffer.write(dump_json(value) + b"\n")
    sys.stdout.buffer.flush()


def together(reports: Sequence[Json]) -> Json:
    """Returns the reports of several lives as one: numbers added, lists joined, a truth anywhere is one."""
    first, *others = reports
    for other in others:
        first = {
            name: value or other[name] if isinstance(value, bool) else value + other[name]
            for name, value in first.items()
        }
    return first


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function (done, of) that moves a progress bar on standard error; silent where no person looks."""
    if not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
