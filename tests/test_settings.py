"""The configuration: every key, its default, and what is refused."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from paramecium.errors import BadSetting
from paramecium.settings import Account, Client, Model, Settings, SmallModel, read_settings, settings_from

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = (ROOT / "examples" / "paramecium.toml").read_text("utf-8")
SECRET = "sk-very-secret"
SECTIONS: dict[str, type[BaseModel]] = {
    "": Settings,
    "clients": Client,
    "accounts": Account,
    "small_model": SmallModel,
    "models": Model,
}
PARROT = {"name": "p", "kind": "parrot", "models": ["parrot"]}
DEFAULTS: dict[str, Any] = {
    "person": "我",
    "ai": "小草",
    "timezone": "Asia/Shanghai",
    "language": "zh",
    "persona": "always",
    "token": None,
    "clients": (),
    "accounts": (Account(name="parrot", kind="parrot", models=(Model(id="parrot"),)),),
    "small_model": None,
    "lanes": ("message", "afterglow", "context", "edges", "this_day"),
    "body_bytes_max": 32_000_000,
    "max_tokens": 16_000,
    "turn_timeout_s": 840.0,
    "upstream_connect_timeout_s": 10.0,
    "upstream_idle_timeout_s": 120.0,
    "ping_after_s": 10.0,
}


def test_every_key_has_its_default() -> None:
    """An empty document is a whole configuration; the table of defaults names every key there is."""
    empty = read_settings("", "empty")
    assert {name: getattr(empty, name) for name in Settings.model_fields} == DEFAULTS


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_is_shown_in_the_example(section: str) -> None:
    """A person finds each key, of each section, in the example, if only behind a comment sign."""
    missing = [name for name in SECTIONS[section].model_fields if not re.search(rf"\b{name}\b *=|\[{name}\]", EXAMPLE)]
    assert [name for name in missing if f"[[{name}]]" not in EXAMPLE] == []


def test_the_example_can_be_used() -> None:
    """The example is a configuration, as it stands and with everything that is commented out."""
    assert read_settings(EXAMPLE, "example").person == "林夏"
    uncommented = re.sub(r"(?m)^# ?(?=\[|[a-z_]+ = )", "", EXAMPLE)
    settings = read_settings(uncommented, "example")
    assert settings.small_model is not None
    assert len(settings.clients) == 1
    assert len(tomllib.loads(uncommented)) > len(tomllib.loads(EXAMPLE))


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"tokne": SECRET}, "tokne: there is no such key"),
        ({"token": 5}, "token"),
        ({"language": "fr"}, "language"),
        ({"persona": "never"}, "persona"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../etc/passwd"}, "timezone"),
        ({"clients": [{"token": SECRET, "life": "papers"}]}, "clients.0: life cannot be papers"),
        ({"clients": [{"token": SECRET, "life": "A B"}]}, "clients.0.life"),
        ({"clients": [{"token": SECRET, "scope": "some"}]}, "clients.0.scope"),
        ({"clients": [{"name": "x"}]}, "clients.0.token"),
        ({"clients": [{"token": ""}]}, "clients.0.token"),
        ({"token": SECRET, "clients": [{"token": SECRET}]}, "two clients have the same token"),
        ({"accounts": [PARROT, PARROT]}, "two accounts have the same name"),
        ({"accounts": [{**PARROT, "models": []}]}, "models names at least one"),
        ({"accounts": [{**PARROT, "kind": "oracle"}]}, "accounts.0.kind"),
        ({"accounts": [{**PARROT, "base_url": "ftp://x"}]}, "base_url must start with"),
        ({"accounts": [{**PARROT, "api_kye": SECRET}]}, "accounts.0.api_kye: there is no such key"),
        ({"accounts": [{**PARROT, "daily_tokens": 0}]}, "accounts.0.daily_tokens"),
        ({"accounts": [{**PARROT, "models": [{"id": "m", "context": 5}]}]}, "accounts.0.models.0.context"),
        ({"small_model": {"account": "none", "model": "m"}}, "small_model.account"),
        ({"small_model": {"account": "parrot", "model": "m", "calls_per_day": -1}}, "small_model.calls_per_day"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"turn_timeout_s": 0}, "turn_timeout_s"),
        ({"ping_after_s": -1}, "ping_after_s"),
        ({"upstream_idle_timeout_s": "soon"}, "upstream_idle_timeout_s"),
        ({"body_bytes_max": 1}, "body_bytes_max"),
    ],
)
def test_what_cannot_be_used_is_named(table: dict[str, Any], told: str) -> None:
    """Each refusal names the document and the key, and never a value that may be a secret."""
    with pytest.raises(BadSetting) as refused:
        settings_from(table, "here.toml")
    message = str(refused.value)
    assert message.startswith("here.toml: ")
    assert told in message
    assert SECRET not in message
    assert "\n" not in message


def test_several_faults_are_told_at_once() -> None:
    """A person need not mend one key a time."""
    with pytest.raises(BadSetting, match=r"language.*; .*max_tokens"):
        settings_from({"language": "fr", "max_tokens": 0}, "here")


def test_secrets_hide_themselves() -> None:
    """Neither repr nor str nor a JSON dump of the settings shows a token or a key."""
    account = {"name": "a", "kind": "anthropic", "api_key": SECRET, "models": ["m"]}
    settings = settings_from({"token": SECRET + "1", "clients": [{"token": SECRET}], "accounts": [account]}, "here")
    assert SECRET not in repr(settings) + str(settings) + settings.model_dump_json()
    assert [type(c.token) for c in settings.everyone] == [SecretStr, SecretStr]


def test_clients_and_lives() -> None:
    """`token` is one client of the main life with every right; each life is named once, main first."""
    settings = settings_from(
        {"token": "a", "clients": [{"token": t, "life": life} for t, life in (("b", "w"), ("c", "w"), ("d", "main"))]},
        "here",
    )
    assert [(c.life, c.scope) for c in settings.everyone] == [
        ("main", "all"),
        ("w", "all"),
        ("w", "all"),
        ("main", "all"),
    ]
    assert settings.lives == ("main", "w")


def test_an_empty_token_is_none() -> None:
    """`token = ""` lets nobody in, as if the key were not there."""
    assert read_settings('token = ""', "here").everyone == ()


def test_what_is_read_cannot_be_changed() -> None:
    """Settings are frozen, and the same document gives equal ones."""
    text = f"person = {json.dumps('夏🐈‍⬛', ensure_ascii=False)}\n"
    settings = read_settings(text, "here")
    assert settings == read_settings(text, "there")
    with pytest.raises(ValueError, match="frozen"):
        settings.person = "别人"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('persn = "林夏"', "persn: there is no such key; did you mean person?"),
        ('[accounts]\nname = "a"', "accounts: write [[accounts]], with two brackets, before each one"),
        (
            '[[accounts]]\nname = "a"\nkind = "parrot"\nmodels = "parrot"',
            'accounts.0.models: must be a list, such as ["',
        ),
        ('max_tokens = "viel"', "max_tokens: must be a whole number"),
        ('person = ""', "person: "),
        ("person = 3", "person: must be text in quotation marks"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(text: str, says: str) -> None:
    """The sentence names the key and what it takes, in the words of the file and not of a library."""
    with pytest.raises(BadSetting) as refused:
        read_settings(text, "paramecium.toml")
    assert says in str(refused.value)
