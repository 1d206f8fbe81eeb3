"""The small model: one question, one answer, not streamed, over one kept connection of any of the two dialects.

Knows addresses, headers and time limits (https://platform.claude.com/docs/en/api/messages,
https://platform.openai.com/docs/api-reference/chat/create); what answers mean stands in small_reply. A request holds
nothing but model, system text and words, so that every server takes it.
Invariant: a call ends within the total limit; neither the key nor a word of the talk stands in an error.
"""

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import NotConfigured, UpstreamError, UpstreamTimeout, UpstreamTruncated
from paramecium.messages import Json, dump_json, encodable
from paramecium.settings import Account, Settings
from paramecium.upstream import anthropic
from paramecium.upstream.credentials import check_key, host_of
from paramecium.upstream.small_reply import SmallAnswer, answer_in, refused

if TYPE_CHECKING:
    import httpx

TOTAL_S: Final = 120.0
CONNECT_S: Final = 10.0
BYTES_MAX: Final = 4_000_000
# The most that every Anthropic model takes; the other dialect needs no bound.
TOKENS_MAX: Final = 4096
_BASE_URLS: Final = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
_PATH: Final = "/chat/completions"
_OK: Final = 200


class SmallModel:
    """Asks one model of one account; threads may share it, one call at a time."""

    def __init__(self, account: Account, model: str, *, connect_s: float = CONNECT_S, total_s: float = TOTAL_S) -> None:
        """Raises NotConfigured when the account cannot be asked as it is set up."""
        _check(account)
        self.model = model
        self._is_anthropic = account.kind == "anthropic"
        self._url = anthropic.address(account) if self._is_anthropic else _address(account)
        self._host = host_of(self._url)
        self._key = account.api_key
        self._limits_s = (connect_s, total_s)
        self._kept: httpx.Client | None = None
        self._line: Any = None
        self._ended = threading.Event()
        self._closed = False
        self._lock = threading.Lock()

    def ask(self, system: str, text: str) -> SmallAnswer:
        """Returns the answer to one question, once it is whole.

        Raises UpstreamRefused, UpstreamOverloaded (429, 503, 529), UpstreamTimeout, UpstreamTruncated, UpstreamError.
        """
        with self._lock:
            self._ended.clear()
            watch = threading.Timer(self._limits_s[1], self._hang_up)
            watch.daemon = True
            watch.start()
            try:
                return self._ask(self._body(system, text))
            finally:
                watch.cancel()

    def close(self) -> None:
        """Ends a call that is under way, and takes no other."""
        self._closed = True
        self._hang_up()
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def _ask(self, body: bytes) -> SmallAnswer:
        import httpx

        try:
            status, told = self._exchanged(body)
        except httpx.TimeoutException as error:
            raise self._silence(error) from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, RuntimeError) as error:
            if self._ended.is_set() and not self._closed:
                raise self._silence(error) from error
            kind = UpstreamTruncated if isinstance(error, httpx.RemoteProtocolError) else UpstreamError
            raise kind(f"the connection to {self._host} failed: {type(error).__name__}") from error
        if status != _OK:
            raise refused(status, told)
        return answer_in(told)

    def _exchanged(self, body: bytes) -> tuple[int, bytes]:
        told = bytearray()
        headers = {**self._headers(), "accept-encoding": "identity"}
        traced = {"trace": self._trace}
        client = self._client()
        client.cookies.clear()  # a service has no reason to know one call by another
        with client.stream("POST", self._url, content=body, headers=headers, extensions=traced) as response:
            for data in response.iter_bytes():
                told += data
                if len(told) > BYTES_MAX:
                    raise UpstreamError(f"the answer of {self._host} is larger than {BYTES_MAX:,} bytes")
            if self._ended.is_set():
                raise UpstreamTimeout(f"the answer of {self._host} took longer than {self._limits_s[1]:g} s")
            return response.status_code, bytes(told)

    def _body(self, system: str, text: str) -> bytes:
        said = {"role": "user", "content": encodable(text)}
        call: Json = {"model": self.model}
        if self._is_anthropic:
            call |= {"max_tokens": TOKENS_MAX, "system": encodable(system), "messages": [said]}
        else:
            call |= {"stream": False, "messages": [{"role": "system", "content": encodable(system)}, said]}
        return dump_json(call)

    def _headers(self) -> dict[str, str]:
        key = self._key.get_secret_value()
        if self._is_anthropic:
            return anthropic.key_headers(key)
        bearer = {"authorization": f"Bearer {key}"} if key else {}
        return {**bearer, "content-type": "application/json"}

    def _client(self) -> "httpx.Client":
        import httpx

        if self._closed:
            raise UpstreamError(f"the connection to {self._host} was closed")
        if self._kept is None:
            connect_s, total_s = self._limits_s
            one = httpx.Limits(max_connections=1, max_keepalive_connections=1)
            self._kept = httpx.Client(timeout=httpx.Timeout(total_s, connect=connect_s), limits=one)
        return self._kept

    def _trace(self, name: str, info: Json) -> None:
        """Remembers the connection: only who holds its socket can end a read that goes on for ever."""
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._line = info["return_value"]

    def _hang_up(self) -> None:
        self._ended.set()
        line = self._line.get_extra_info("socket") if self._line is not None else None
        if line is not None:
            with suppress(OSError):  # it was closed already
                socket.socket.shutdown(line, socket.SHUT_RDWR)

    def _silence(self, error: Exception) -> UpstreamTimeout:
        return UpstreamTimeout(f"the model's service at {self._host} was silent for too long: {type(error).__name__}")


def small_model(settings: Settings) -> SmallModel:
    """Returns the small model of the configuration; raises NotConfigured when there is none, or none can be asked."""
    small = settings.small_model
    if small is None:
        raise NotConfigured(
            "extract is off, since no small model is configured; add a [small_model] section with account (the name of "
            "an [[accounts]] section) and model to the configuration"
        )
    account = next(a for a in settings.accounts if a.name == small.account)
    return SmallModel(account, small.model, connect_s=settings.upstream_connect_timeout_s)


def _check(account: Account) -> None:
    if account.kind == "parrot":
        raise NotConfigured(
            f"account {account.name} is a parrot, which cannot take notes; "
            "name an account of kind anthropic, openai or openrouter in [small_model]"
        )
    # A server of one's own often wants no key.
    if account.api_key.get_secret_value() or account.kind == "anthropic" or not account.base_url:
        check_key(account)


def _address(account: Account) -> str:
    base_url = (account.base_url or _BASE_URLS[account.kind]).rstrip("/").removesuffix(_PATH)
    return f"{base_url}{_PATH}"
