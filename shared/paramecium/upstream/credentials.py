"""What an account needs before anybody is asked: a key that can be one, and a host that may be named.

Pure. Invariant: no sentence made here holds a key, or what may stand before the @ of an address.
"""

from paramecium.errors import NotConfigured
from paramecium.settings import Account


def check_key(account: Account) -> None:
    """Raises NotConfigured when the account has no key, or one that no service gave."""
    key = account.api_key.get_secret_value()
    if not key:
        raise NotConfigured(f"account {account.name} has no api_key; put it into its [[accounts]] section")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise NotConfigured(f"account {account.name}: its api_key holds a character that no key has; copy it again")


def host_of(base_url: str) -> str:
    """Returns host and port of an address, without what may stand before the @, which is a secret too."""
    return base_url.partition("://")[2].partition("/")[0].rpartition("@")[2]
