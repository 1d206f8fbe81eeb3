"""`paramecium serve`: the gateway and its jobs as one process on this machine."""

import ipaddress
import socket
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from paramecium import clock
from paramecium.cli.context import Context, tell
from paramecium.errors import BadSetting

if TYPE_CHECKING:
    from paramecium.settings import Settings
    from paramecium.wiring import Parts

APP = "functions.gateway.app:from_parts"
PORT_DEFAULT = 8787
PORTS_TRIED = 20
PORT_HELP = f"[default: {PORT_DEFAULT}, or the next free one]"
# What open streams get before the gateway itself is asked to end; all in all a server has 5 s.
SHUTDOWN_S = 1


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65535, help=PORT_HELP)] = None,
    no_jobs: Annotated[bool, typer.Option("--no-jobs", help="Leave the jobs to cron.")] = False,
) -> None:
    """Serves the gateway here, and runs the jobs beside it."""
    given: Context = context.obj
    settings, made = with_token(given.settings, given.life)
    check_public(host, settings)
    run(given, settings, host, port, jobs=not no_jobs, made=made)


def run(given: Context, settings: "Settings", host: str, port: int | None, *, jobs: bool, made: bool) -> None:
    """Listens until a signal; prints address and token once the socket stands."""
    from paramecium import wiring

    parts = wiring.build_parts(settings, data=given.folder, bucket=given.bucket)
    wiring.probe(parts)
    listener = listen(host, port)
    if jobs:
        wiring.add_jobs(parts, tell, settings.lives if given.named_life is None else [given.named_life])
    wiring.hand_over(parts)
    shown = f"[{host}]" if ":" in host else host
    tell(f"Paramecium is at http://{shown}:{listener.getsockname()[1]}   (Ctrl-C ends it)")
    lasting = "   (for this run; `paramecium init` makes a lasting one)" if made else ""
    tell(f"token: {first_token(settings)}{lasting}")
    _listen_until_signal(parts, listener)


def _listen_until_signal(parts: "Parts", listener: socket.socket) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        """Tells the jobs at the signal itself, not only once the last stream has ended."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            parts.stopping.set()
            super().handle_exit(sig, frame)

    config = uvicorn.Config(APP, factory=True, log_level="warning", timeout_graceful_shutdown=SHUTDOWN_S, ws="none")
    Server(config).run(sockets=[listener])


def with_token(settings: "Settings", life: str) -> "tuple[Settings, bool]":
    """Returns settings that have a token, and whether it was made just now, for `life`."""
    if settings.everyone:
        return settings, False
    from paramecium.settings import Client

    owner = Client.model_validate({"token": clock.new_token(), "life": life})
    return settings.model_copy(update={"clients": (owner,)}), True


def first_token(settings: "Settings") -> str:
    """Returns the token a person needs to come in."""
    return settings.everyone[0].token.get_secret_value()


def check_public(host: str, settings: "Settings") -> None:
    """Raises BadSetting when others could reach the server and a token is short enough to be guessed."""
    from paramecium.settings import TOKEN_CHARS_MIN_PUBLIC

    short = [c.name for c in settings.everyone if len(c.token.get_secret_value()) < TOKEN_CHARS_MIN_PUBLIC]
    if short and _is_loopback(host):
        tell(f"note: the token of {', '.join(short)} is short; `paramecium init` makes one of 43 characters")
    elif short:
        raise BadSetting(
            f"at {host or 'every address'} others can reach this, so the token of {', '.join(short)} needs "
            f"{TOKEN_CHARS_MIN_PUBLIC} characters or more"
        )


def listen(host: str, port: int | None) -> socket.socket:
    """Returns a listening socket at the port named, else at the first free one from 8787 on; raises BadSetting."""
    wanted = [port] if port is not None else [*range(PORT_DEFAULT, PORT_DEFAULT + PORTS_TRIED)]
    reason: OSError | None = None
    for number in wanted:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # asyncio sends small pieces at once only on sockets that say they are TCP; 40 ms a piece otherwise.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(128)
        except OSError as error:
            listener.close()
            reason = error
        else:
            return listener
    told = reason.strerror if reason else ""
    raise BadSetting(f"cannot listen at {host}, port {wanted[0]}: {told}; name another with --port") from reason


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
