"""`paramecium init`: asks who talks with whom, and writes the configuration."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from paramecium import clock
from paramecium.cli.context import CONFIG_DEFAULT, Context, tell
from paramecium.errors import BadSetting

ASKED_MAX = 5


def init(
    context: typer.Context,
    person: Annotated[str | None, typer.Option(help="Your name.")] = None,
    ai: Annotated[str | None, typer.Option(help="The AI's name.")] = None,
    timezone: Annotated[str | None, typer.Option(help="IANA time zone, such as Asia/Shanghai.")] = None,
    language: Annotated[str | None, typer.Option(help="zh or en.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a configuration that is there.")] = False,
) -> None:
    """Asks a few things and writes your configuration."""
    given: Context = context.obj
    path = given.config or CONFIG_DEFAULT
    _check_place(given, path, force)
    answers = {
        "person": person or _ask("Your name / 你的名字", "我"),
        "ai": ai or _ask("The AI's name / AI 的名字", "小草"),
        "timezone": timezone or _ask("Time zone / 时区", _zone(), _is_zone),
        "language": language or _ask("Language / 语言 (zh, en)", "zh", lambda answer: answer in ("zh", "en")),
    }
    _check(_document(answers, _PARROT), path)
    account, told = _account()
    text = _document(answers, account)
    _check(text, path)
    _write_private(path, text)
    tell(f"written: {path.resolve()} (readable by you alone); {told}")
    tell("commands look for it in the folder they run in; elsewhere name it with --config")
    tell(f"next: `{given.command} chat` to talk here, or `{given.command} serve` for other programs")


def _check_place(given: Context, path: Path, force: bool) -> None:
    if os.path.lexists(path) and not force:
        raise BadSetting(f"{path} is there already; --force writes over it")
    if path.is_dir():
        raise BadSetting(f"{path} is a folder; name a file with --config")
    if given.bucket is None and given.folder.resolve() in path.resolve().parents:
        raise BadSetting(f"{path} lies inside the data folder, which is copied and shared; put the keys elsewhere")


def _check(text: str, path: Path) -> None:
    from paramecium.settings import read_settings

    read_settings(text, str(path))


def _ask(question: str, default: str, fits: Callable[[str], bool] = bool) -> str:
    """Asks until the answer fits, a few times; what is wrong in the end is told by the settings."""
    answer = default
    for _ in range(ASKED_MAX if sys.stdin.isatty() else 0):
        answer = typer.prompt(question, default=default, err=True)
        if fits(answer):
            break
        tell(f"{answer!r} is none of these; the one in brackets would do")
    return answer


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _ask_secret(question: str) -> str:
    if not sys.stdin.isatty():
        return ""
    answer: str = typer.prompt(question, default="", hide_input=True, show_default=False, err=True)
    return answer


def _zone() -> str:
    """The machine's own zone when it has a name, else that of most of our users."""
    link = Path("/etc/localtime")
    name = str(link.readlink()).partition("zoneinfo/")[2] if link.is_symlink() else ""
    try:
        return ZoneInfo(name).key if name and "/" in name and not name.startswith("Etc/") else "Asia/Shanghai"
    except (KeyError, ValueError, OSError):
        return "Asia/Shanghai"


_PARROT = (
    "# no model behind it: it repeats what recall finds; put an account of kind anthropic here instead",
    "[[accounts]]",
    'name = "parrot"',
    'kind = "parrot"',
    'models = ["parrot"]',
)


def _account() -> tuple[tuple[str, ...], str]:
    """Returns the lines of the account, and where its key comes from, in words."""
    key, told = os.environ.get("ANTHROPIC_API_KEY", "").strip(), "with the key of ANTHROPIC_API_KEY"
    if not key:
        key, told = (
            _ask_secret("Anthropic API key (empty: a parrot for trying / 留空则用鹦鹉试用)").strip(),
            "with your key",
        )
    if not key:
        return _PARROT, "without a key a parrot answers"
    from paramecium.settings import DEFAULT_ANTHROPIC_MODELS

    models = ", ".join(map(_toml, DEFAULT_ANTHROPIC_MODELS))
    base_url = os.environ.get("ANTHROPIC_BASE_URL", "")
    lines = ["[[accounts]]", 'name = "anthropic"', 'kind = "anthropic"', f"api_key = {_toml(key)}"]
    lines += [f"base_url = {_toml(base_url)}"] if base_url else []
    return (*lines, f"models = [{models}]"), told


def _document(answers: dict[str, str], account: Sequence[str]) -> str:
    lines = [f"{name} = {_toml(value)}" for name, value in answers.items()]
    lines += ["", "# what a client must send: Authorization: Bearer ...", f"token = {_toml(clock.new_token())}", ""]
    return "\n".join([*lines, *account]) + "\n"


def _toml(value: str) -> str:
    """A JSON string is a TOML basic string, but for DEL, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{clock.new_id()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
