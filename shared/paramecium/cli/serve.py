"""`paramecium serve`: the gateway and its jobs as one process on this machine."""

import ipaddress
import socket
from typing import Annotated

import typer
from pydantic import SecretStr

from paramecium import clock
from paramecium.cli.context import Context, tell
from paramecium.errors import BadSetting
from paramecium.settings import TOKEN_CHARS_MIN_PUBLIC, Settings

APP = "functions.gateway.app:from_parts"
PORT_DEFAULT = 8787
PORTS_TRIED = 20
SHUTDOWN_S = 2


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(help=f"[default: {PORT_DEFAULT}, or the next free one]")] = None,
    no_jobs: Annotated[bool, typer.Option("--no-jobs", help="Leave the jobs to cron.")] = False,
) -> None:
    """Serves the gateway here, and runs the jobs beside it."""
    given: Context = context.obj
    settings, made = with_token(given.settings)
    check_public(host, settings)
    run(given, settings, host, port, jobs=not no_jobs, made=made)


def run(given: Context, settings: Settings, host: str, port: int | None, *, jobs: bool, made: bool) -> None:
    """Listens until a signal; prints address and token once the socket stands."""
    import uvicorn

    from paramecium import wiring

    parts = wiring.build_parts(settings, data=given.folder, bucket=given.bucket)
    wiring.probe(parts)
    listener = listen(host, port)
    wiring.hand_over(parts)
    if jobs:
        wiring.start_jobs(parts, tell)
    shown = f"[{host}]" if ":" in host else host
    tell(f"Paramecium is at http://{shown}:{listener.getsockname()[1]}   (Ctrl-C ends it)")
    tell(
        f"token: {first_token(settings)}" + ("   (for this run; `paramecium init` makes a lasting one)" if made else "")
    )
    config = uvicorn.Config(APP, factory=True, log_level="warning", timeout_graceful_shutdown=SHUTDOWN_S, ws="none")
    uvicorn.Server(config).run(sockets=[listener])


def with_token(settings: Settings) -> tuple[Settings, bool]:
    """Returns settings that have a token, and whether it was made just now."""
    if settings.everyone:
        return settings, False
    return settings.model_copy(update={"token": SecretStr(clock.new_token())}), True


def first_token(settings: Settings) -> str:
    """Returns the token a person needs to come in."""
    return settings.everyone[0].token.get_secret_value()


def check_public(host: str, settings: Settings) -> None:
    """Raises BadSetting when others could reach the server and a token is short enough to be guessed."""
    if _is_loopback(host):
        return
    short = [c.name for c in settings.everyone if len(c.token.get_secret_value()) < TOKEN_CHARS_MIN_PUBLIC]
    if short:
        raise BadSetting(
            f"at {host} others can reach this; the token of {', '.join(short)} needs 24 characters or more"
        )


def listen(host: str, port: int | None) -> socket.socket:
    """Returns a listening socket at the port named, else at the first free one from 8787 on; raises BadSetting."""
    wanted = [port] if port is not None else [*range(PORT_DEFAULT, PORT_DEFAULT + PORTS_TRIED)]
    reason: OSError | None = None
    for number in wanted:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(128)
        except OSError as error:
            listener.close()
            reason = error
        else:
            return listener
    raise BadSetting(f"cannot listen at {host}, port {wanted[0]}: {reason}; name another with --port") from reason


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
