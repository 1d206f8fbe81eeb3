"""Which account and model a turn goes to, and the adapter for it.

Knows the accounts of the configuration and which adapters exist; asks no network.
Invariant: one adapter an account, built on first use and kept until `aclose`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from paramecium.errors import BadInput, NotConfigured
from paramecium.settings import Account, Settings
from paramecium.upstream.anthropic import Anthropic
from paramecium.upstream.base import Upstream
from paramecium.upstream.credentials import check_key
from paramecium.upstream.parrot import Parrot


@dataclass(frozen=True, slots=True)
class Choice:
    """Is one account and the model of it that is asked."""

    account: Account
    model: str


class Upstreams:
    """Knows the way to every account; `built` gives adapters by account name that stand already."""

    def __init__(self, settings: Settings, *, built: Mapping[str, Upstream] | None = None) -> None:
        self._settings = settings
        self._built: dict[str, Upstream] = dict(built or {})

    def choose(self, account: str | None, model: str | None) -> Choice:
        """Returns the named account, else the first that lists the model, else the first; without model its first.

        Raises BadInput naming what there is, and NotConfigured when the account cannot be used as it is set up.
        """
        chosen = self._account(account, model)
        models = [m.id for m in chosen.models]
        if model is not None and model not in models:
            raise BadInput(f"account {chosen.name} has no model {model!r:.100}; there is: {', '.join(models)}")
        if chosen.name not in self._built:
            _check(chosen)
        return Choice(chosen, model or models[0])

    def get(self, account: Account) -> Upstream:
        """Returns the adapter of an account; raises NotConfigured when there is none for it."""
        if account.name not in self._built:
            _check(account)
            self._built[account.name] = self._build(account)
        return self._built[account.name]

    async def aclose(self) -> None:
        """Closes the connections of every adapter; the next use builds anew."""
        built, self._built = self._built, {}
        for upstream in built.values():
            await upstream.aclose()

    def _account(self, name: str | None, model: str | None) -> Account:
        accounts = self._settings.accounts
        if not accounts:
            raise NotConfigured("no account is configured; add an [[accounts]] section to the configuration")
        if name is not None:
            found = next((a for a in accounts if a.name == name), None)
            if found is None:
                known = ", ".join(a.name for a in accounts)
                raise BadInput(f"there is no account {name!r:.100}; there is: {known}")
            return found
        if model is None:
            return accounts[0]
        found = next((a for a in accounts if any(m.id == model for m in a.models)), None)
        if found is None:
            known = ", ".join(dict.fromkeys(m.id for a in accounts for m in a.models))
            raise BadInput(f"no account has a model {model!r:.100}; there is: {known}")
        return found

    def _build(self, account: Account) -> Upstream:
        if account.kind == "parrot":
            return Parrot(self._settings.language)
        return Anthropic(account, self._settings)


def _check(account: Account) -> None:
    if account.kind == "parrot":
        return
    if account.kind != "anthropic":
        raise NotConfigured(f"account {account.name}: kind {account.kind} is not available in this version")
    check_key(account)
