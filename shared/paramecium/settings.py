"""The configuration: one document, one table of keys with their defaults; frozen once read.

Knows what may be set and what it means; reads no file and no environment (wiring does).
Invariant: secrets hide themselves when printed (`SecretStr`), and an unknown key is an error that names it.
"""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, model_validator

from paramecium.errors import BadSetting

DEFAULT_ANTHROPIC_MODELS = ("claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5")
TOKEN_CHARS_MIN_PUBLIC = 24
_NO_LIVES = ("derived", "papers")
_PLAIN = {
    "extra_forbidden": "there is no such key",
    "tuple_type": 'must be a list, such as ["one", "two"]',
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "string_type": "must be text in quotation marks",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "missing": "is missing",
}


Lane = Literal["message", "afterglow", "context", "edges", "this_day"]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Client(_Section):
    """Is one holder of a token."""

    name: str = "owner"
    token: SecretStr = Field(min_length=1)
    life: str = Field(default="main", pattern=r"^[a-z0-9-]{1,40}$")
    scope: Literal["chat", "all"] = "all"
    archive: bool = True
    memory: bool = True
    tools: bool = True

    @model_validator(mode="after")
    def _own_prefix(self) -> Self:
        if self.life in _NO_LIVES:
            raise ValueError(f"life cannot be {self.life}, where the archive keeps things of its own")
        return self


class Model(_Section):
    """Is one model of an account, with what a person wants to say of it."""

    id: str = Field(min_length=1)
    context: int | None = Field(default=None, ge=1000)
    images: bool | None = None


def _model(value: Any) -> Any:
    return {"id": value} if isinstance(value, str) else value


class Account(_Section):
    """Is one way to a model."""

    name: str = Field(min_length=1)
    kind: Literal["anthropic", "openai", "openrouter", "parrot"]
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    models: tuple[Annotated[Model, BeforeValidator(_model)], ...] = ()
    trusted: bool = True
    daily_tokens: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must start with http:// or https://")
        if not self.models:
            raise ValueError("models names at least one model")
        return self


class SmallModel(_Section):
    """Is the model that takes notes, and how often it may be asked a day."""

    account: str
    model: str
    calls_per_day: int = Field(default=500, ge=0)


class Settings(_Section):
    """Is the whole configuration; every key has a default."""

    person: str = Field(default="我", min_length=1)
    ai: str = Field(default="小草", min_length=1)
    timezone: str = "Asia/Shanghai"
    language: Literal["zh", "en"] = "zh"
    persona: Literal["always", "absent"] = "always"
    token: SecretStr | None = None
    clients: tuple[Client, ...] = ()
    accounts: tuple[Account, ...] = (Account(name="parrot", kind="parrot", models=(Model(id="parrot"),)),)
    small_model: SmallModel | None = None
    lanes: tuple[Lane, ...] = get_args(Lane)
    body_bytes_max: int = Field(default=32_000_000, ge=1000)
    max_tokens: int = Field(default=16_000, ge=1)
    turn_timeout_s: float = Field(default=840.0, gt=0)
    upstream_connect_timeout_s: float = Field(default=10.0, gt=0)
    upstream_idle_timeout_s: float = Field(default=120.0, gt=0)
    ping_after_s: float = Field(default=10.0, gt=0)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"timezone is no IANA name such as Asia/Shanghai: {self.timezone}") from error
        names = [a.name for a in self.accounts]
        if len(set(names)) < len(names):
            raise ValueError("two accounts have the same name")
        tokens = [c.token.get_secret_value() for c in self.everyone]
        if len(set(tokens)) < len(tokens):
            raise ValueError("two clients have the same token, so nobody can tell which one comes")
        if self.small_model is not None and self.small_model.account not in names:
            raise ValueError("small_model.account names none of the accounts")
        return self

    @property
    def everyone(self) -> tuple[Client, ...]:
        """Returns all clients; `token` alone is one client with every right, and an empty one is none."""
        owner = (Client(token=self.token),) if self.token is not None and self.token.get_secret_value() else ()
        return owner + self.clients

    @property
    def lives(self) -> tuple[str, ...]:
        """Returns every life the configuration names, `main` first."""
        return tuple(dict.fromkeys(["main", *(c.life for c in self.clients)]))


def read_settings(text: str, where: str) -> Settings:
    """Returns the settings in a TOML document; raises BadSetting naming `where` and the key, never a value."""
    try:
        return settings_from(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{where} is not TOML: {error}") from error


def settings_from(table: Mapping[str, Any], where: str) -> Settings:
    """Returns the settings in a table; raises BadSetting naming `where` and the key, never a value."""
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        raise BadSetting(f"{where}: {'; '.join(map(_told, error.errors()))}") from error


def _told(error: Mapping[str, Any]) -> str:
    """Says what is wrong with which key; never the value, which may be a secret."""
    key = ".".join(map(str, error["loc"]))
    said = _PLAIN.get(error["type"]) or error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        said += _perhaps(str(error["loc"][-1]))
    elif key in ("accounts", "clients") and error["type"] == "tuple_type":
        said = f"write [[{key}]], with two brackets, before each one"
    said = f"{said[:1].lower()}{said[1:]}"
    return f"{key}: {said}" if key else said


def _perhaps(key: str) -> str:
    known = [name for section in (Settings, Client, Account, SmallModel, Model) for name in section.model_fields]
    near = get_close_matches(key, known, 1)
    return f"; did you mean {near[0]}?" if near else ""
