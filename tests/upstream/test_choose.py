"""Which account and model a turn goes to."""

from typing import Any

import anyio
import pytest

from paramecium.errors import BadInput, NotConfigured
from paramecium.settings import settings_from
from paramecium.upstream.anthropic import Anthropic
from paramecium.upstream.choose import Upstreams
from paramecium.upstream.parrot import Parrot
from tests.fakes import ScriptedUpstream


def upstreams(*accounts: dict[str, Any], **more: Any) -> Upstreams:
    """Returns the upstreams of some accounts."""
    return Upstreams(settings_from({"accounts": list(accounts)}, "test"), **more)


PARROT = {"name": "鹦鹉", "kind": "parrot", "models": ["parrot"]}
CLAUDE = {"name": "claude", "kind": "anthropic", "api_key": "k", "models": ["sonnet", {"id": "opus"}]}


@pytest.mark.parametrize(
    ("account", "model", "expected"),
    [
        (None, None, ("鹦鹉", "parrot")),
        ("claude", None, ("claude", "sonnet")),
        (None, "opus", ("claude", "opus")),
        ("claude", "opus", ("claude", "opus")),
    ],
)
def test_chooses_by_name_by_model_or_the_first(
    account: str | None, model: str | None, expected: tuple[str, str]
) -> None:
    """The named account; else the one that lists the model; else the first and its first model."""
    choice = upstreams(PARROT, CLAUDE).choose(account, model)
    assert (choice.account.name, choice.model) == expected


@pytest.mark.parametrize(
    ("account", "model", "told"),
    [("gpt", None, "鹦鹉, claude"), (None, "gpt", "parrot, sonnet, opus"), ("claude", "parrot", "sonnet, opus")],
)
def test_what_is_unknown_is_told_with_what_there_is(account: str | None, model: str | None, told: str) -> None:
    """An unknown account or model is bad input that names the known ones."""
    with pytest.raises(BadInput, match=told):
        upstreams(PARROT, CLAUDE).choose(account, model)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"api_key": ""}, "no api_key"),
        ({"api_key": "sk-秘密"}, "no key has"),
        ({"api_key": "sk-secret\n"}, "no key has"),
        ({"kind": "openai"}, "openai is not available in this version"),
        ({"kind": "openrouter"}, "openrouter is not available in this version"),
    ],
)
def test_an_account_that_cannot_be_used_says_why(more: dict[str, str], told: str) -> None:
    """A missing or impossible key and a kind that is not there yet are told, without the key."""
    parts = upstreams({**CLAUDE, **more})
    with pytest.raises(NotConfigured, match=told) as caught:
        parts.choose(None, None)
    assert "sk-" not in str(caught.value)
    with pytest.raises(NotConfigured, match=told):
        parts.get(settings_from({"accounts": [{**CLAUDE, **more}]}, "test").accounts[0])


def test_no_account_at_all_says_what_to_do() -> None:
    """An empty list of accounts is told with the section to add."""
    with pytest.raises(NotConfigured, match="accounts"):
        upstreams().choose(None, None)


def test_adapters_are_built_once_and_closed() -> None:
    """The same account gives the same adapter until all are closed; given ones are used as they are."""
    scripted = ScriptedUpstream()
    parts = upstreams(PARROT, CLAUDE, built={"鹦鹉": scripted})
    parrot, claude = parts.choose("鹦鹉", None).account, parts.choose("claude", None).account
    assert parts.get(parrot) is scripted
    assert isinstance(parts.get(claude), Anthropic)
    assert parts.get(claude) is parts.get(claude)
    anyio.run(parts.aclose)
    assert isinstance(parts.get(parrot), Parrot)
