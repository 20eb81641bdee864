"""The command `treewhile serve`: a websocket server of analyses."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.oracles.errors import InputError
from treewhile.server.commands.options import (
    AT_LEAST_ONE,
    FEW,
    SECONDS,
    FiniteRange,
    defaulted_option,
    live_trees_option,
    repeated_option,
)
from treewhile.server.connections.admission import is_loopback, is_origin
from treewhile.server.limits import Limits
from treewhile.server.process.settings import allow_many_files
from treewhile.server.work.served_models import ServedModels, every_installed_model

DEFAULTS = Limits()

LIMITS = {
    "connections": (AT_LEAST_ONE, "Connections at a time; others are told to come back later."),
    "message-bytes": (AT_LEAST_ONE, "Longest message that a client may send."),
    "messages-a-second": (
        FiniteRange(min=0.1),
        "Messages that a connection may send steadily; more have to wait.",
    ),
    "burst": (AT_LEAST_ONE, "Messages that a connection may send at once."),
    "documents": (click.IntRange(min=1, max=64), "Documents that a session may have open."),
    "characters": (AT_LEAST_ONE, "Characters in all documents of a session; a given word counts as eight."),
    "resume-seconds": (SECONDS, "How long a session waits for a client that was lost."),
    "resumable": (AT_LEAST_ONE, "How many sessions may wait for lost clients."),
    "slow-reader-seconds": (SECONDS, "A connection that reads nothing for this long is closed."),
    "drain-seconds": (SECONDS, "How long the server may take after SIGTERM to answer what has come."),
}


def checked_origins(_: click.Context, __: click.Parameter, origins: tuple[str, ...]) -> tuple[str, ...]:
    """Return the origins; raise BadParameter if one is not in the form that browsers send."""
    for origin in origins:
        if not is_origin(origin):
            raise click.BadParameter(
                f"{origin!r:.80} is no origin: give one like https://trees.example, without a path, or *."
            )
    return origins


def checked_place(_: click.Context, __: click.Parameter, text: str | None) -> Path | str | None:
    """Return the place of stored sessions."""
    if text is None or "://" not in text:
        return Path(text) if text else None
    from treewhile.server.stores.places import checked_address

    return checked_address(text)


def limits(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for every limit to a command."""
    for name, (kind, about) in reversed(LIMITS.items()):
        default = getattr(DEFAULTS, name.replace("-", "_"))
        function = defaulted_option(f"--{name}", kind, default, about)(function)
    return function


@click.command(context_settings={"auto_envvar_prefix": "TREEWHILE"})
@defaulted_option("--host", None, "127.0.0.1", "Address to listen on.")
@defaulted_option("--port", click.IntRange(0, 65535), 8080, "Port to listen on; 0 takes any free one.")
@defaulted_option("--workers", FEW, 1, "Processes that share the port; one per core is a good number.")
@defaulted_option("--threads", FEW, 2, "Threads that parse, in each process.")
@repeated_option(
    "--model",
    "models",
    "M",
    "A model to serve; may be repeated, the default model first.  [default: all that are installed]",
    envvar=["TREEWHILE_MODEL", "TREEWHILE_MODELS"],
)
@live_trees_option
@repeated_option(
    "--grammar",
    "grammars",
    "[M=]G",
    "Search for trees under this grammar, a name or a file: the documents of model M, or of the default "
    "model. May be repeated; clients can choose the others of a model by name.  [default: that of each "
    "model's language]",
    envvar=["TREEWHILE_GRAMMAR", "TREEWHILE_GRAMMARS"],
)
@click.option(
    "--edit-grammars/--no-edit-grammars",
    "edits_grammars",
    default=None,
    help="Let clients send grammars that they edit, for their own documents.  [default: only if nobody but "
    "this machine can connect: a loopback address, and no --origin]",
)
@click.option(
    "--sessions",
    metavar="DIR|URL",
    callback=checked_place,
    help="Keep sessions in this folder, or at nats://HOST or redis://HOST: they outlive processes.",
)
@defaulted_option(
    "--risk",
    FiniteRange(0, 1),
    RISK,
    "Correct edges that a step may be expected to lose by not waiting, unless a client chooses.",
)
@click.option("--token", help="Token that clients have to show.")
@repeated_option(
    "--origin",
    "origins",
    "URL",
    "Let web pages from this origin connect, too; * for any. May be repeated.",
    envvar=["TREEWHILE_ORIGIN", "TREEWHILE_ORIGINS"],
    callback=checked_origins,
)
@click.option("--cert", type=click.Path(path_type=Path), help="Certificate chain for TLS, in PEM.")
@click.option(
    "--key", type=click.Path(path_type=Path), help="Key of the certificate, if it is not in the same file."
)
@click.option(
    "--admin-port",
    type=click.IntRange(1, 65535),
    help="Port for Prometheus metrics; further workers take the next ports. Off by default.",
)
@defaulted_option("--admin-host", None, "127.0.0.1", "Address for --admin-port.")
@click.option(
    "--http/--no-http",
    "with_desk",
    default=True,
    show_default=True,
    help="Answer clients of UDPipe's REST service, Arborator-Grew and INCEpTION over HTTP.",
)
@limits
def command(
    host: str,
    port: int,
    workers: int,
    threads: int,
    models: tuple[str, ...],
    trees: str | None,
    grammars: tuple[str, ...],
    edits_grammars: bool | None,
    sessions: Path | str | None,
    risk: float,
    token: str | None,
    origins: tuple[str, ...],
    cert: Path | None,
    key: Path | None,
    admin_port: int | None,
    admin_host: str,
    with_desk: bool,
    **chosen: Any,
) -> None:
    """Serve analyses over websockets: words come in while people type, trees go out.

    All installed models are served, English first, unless --model names some. Clients choose one for each
    document, and it is loaded when it is first used.

    The address for a browser is printed at once. The first time, kernels are compiled for a while; clients
    can connect meanwhile, and are told how far it is. The protocol is described in server/PROTOCOL.md and at
    /asyncapi.json of the running server; /healthz, /readyz and /version report on it. The log goes to
    standard error, one JSON object per line, and never contains what people type.

    Web pages may connect from the server's own address and from each --origin; other programs from anywhere.
    Clients show the --token in the header "Authorization: Bearer ..." or in their hello.

    The same port answers clients of UDPipe's REST service, of Arborator-Grew's parsers and of INCEpTION's
    external recommenders, unless --no-http is given. A process of its own does, of the lowest rank, which the
    first of them starts: those who type do not wait for it. These clients show the --token in the header.

    After SIGTERM or Ctrl-C the server answers what has come, and ends; after SIGHUP it loads its models,
    their grammars and its certificate again. A worker that dies is replaced. With --sessions, clients go on
    where they were after that, and after a restart within --resume-seconds: no version that was answered is
    lost. In a folder that holds for the workers of one machine, at an address of NATS or Redis for all
    servers that name it. Otherwise sessions live in the memory of their worker. Every option is an
    environment variable, too: TREEWHILE_PORT and so on.

    \b
    Examples:
      treewhile serve
      treewhile serve --host 0.0.0.0 --port 443 --cert chain.pem --key key.pem --model en --model af
      treewhile serve --workers 4 --sessions /var/lib/treewhile
      treewhile serve --model af --grammar mine.constraints --grammar before.constraints
      treewhile serve --sessions nats://one.example,two.example,three.example
    """
    if workers > 1 and os.name != "posix":
        raise click.UsageError("--workers: this system has no fork; run several servers on other ports.")
    allow_many_files()
    served = ServedModels(models or every_installed_model(), trees)
    is_local = is_loopback(host) and not origins
    served = served._replace(
        grammars=grammars_by_model(served, grammars),
        edits_grammars=is_local if edits_grammars is None else edits_grammars,
    )
    for name in served.by_name.values():
        model_path(name)  # raises an error early if the file is missing
    if sessions:
        _prepare(sessions)
    place = {"host": host, "port": port, "tls": _tls(cert, key), "token": token, "origins": origins}
    serving = _Serving(
        place,
        Limits(**chosen),
        threads,
        served,
        (admin_host, admin_port) if admin_port else None,
        sessions,
        risk,
        _desk(served, place) if with_desk and os.name == "posix" else None,
    )
    serving.run() if workers == 1 else serving.run_workers(workers)


class _Serving(NamedTuple):
    """Settings of the server from the options."""

    place: dict[str, Any]
    limits: Limits
    threads: int
    models: ServedModels
    admin: tuple[str, int] | None
    sessions: Path | str | None
    risk: float
    desk: Any

    def run(self) -> None:
        _end_by_signals()
        from treewhile.server.process.running import run

        run(self._server, _say)

    def run_workers(self, workers: int) -> None:
        _end_by_signals()
        from treewhile.server.logs import json_log
        from treewhile.server.process.supervising import Supervisor
        from treewhile.server.work.engines import Engines

        host, port, log = self.place["host"], self.place["port"], json_log()
        if self.admin:
            _check_free(*self.admin, workers)
        engines = Engines(self.models)
        supervisor = Supervisor(host, port, workers, engines, self.limits, _say, log, self.desk)
        self.place["port"] = supervisor.port

        supervisor.run(self._server)

    def _server(self, number: int | None = None, sockets: Any = (), engines: Any = None) -> Any:
        from treewhile.incremental.sessions.options import DocumentOptions
        from treewhile.server.logs import json_log
        from treewhile.server.process.entrance import Place
        from treewhile.server.process.server import Means, Server
        from treewhile.server.work.engines import Engines

        log = json_log() if number is None else json_log().bind(worker=number)
        place = Place(**self.place, sockets=sockets)
        options = DocumentOptions(risk=self.risk)
        means = Means(self.threads, self.sessions, number, options, self.desk)
        server = Server(place, self.limits, means, log, engines or Engines(self.models))
        if self.admin:
            _show_metrics(server, self.admin[0], self.admin[1] + (number or 0))
        return server


def grammars_by_model(served: ServedModels, given: Sequence[str]) -> dict[str, list[str]]:
    """Return the grammars by the names of their models; raise InputError if one has a mistake."""
    found: dict[str, list[str]] = {}
    for one in given:
        model, equals, grammar = one.partition("=")
        if not equals or model not in served.by_name:
            model, grammar = next(iter(served.by_name)), one
        from treewhile.incremental.constraints import load_grammar

        load_grammar(grammar)
        found.setdefault(model, []).append(grammar)
    for model in found:
        served._replace(grammars=found).grammar_files(model)  # raises an error if two have the same name
    return found


def _end_by_signals() -> None:
    """Let signals end this process at once until the server handles them: there are no clients yet."""
    if hasattr(signal, "pthread_sigmask"):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os._exit(0))
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])


def _desk(models: ServedModels, place: dict[str, Any]) -> Any:
    from treewhile.server.process.desk import DeskProcess, DeskSettings

    only_loopback, has_tls = is_loopback(place["host"]), place["tls"] is not None
    token, origins = place["token"], [*place["origins"]]
    return DeskProcess(DeskSettings([*models.names], models.trees, token, origins, only_loopback, has_tls))


def _say(line: str) -> None:
    click.echo(f"treewhile: {line}")


def _prepare(sessions: Path | str) -> None:
    from treewhile.server.stores.places import prepare

    if prepare(sessions):
        _say(f"the kept sessions were damaged, and have been removed, {sessions}")


def _check_free(host: str, port: int, workers: int) -> None:
    for one in range(port, port + workers):
        try:
            socket.create_server((host, one)).close()
        except (OSError, OverflowError) as error:
            _refuse_admin(host, one, error)


def _show_metrics(server: Any, host: str, port: int) -> None:
    try:
        server.metrics.serve(host, port)
    except OSError as error:
        _refuse_admin(host, port, error)


def _refuse_admin(host: str, port: int, error: Exception) -> NoReturn:
    what = f"cannot show metrics at {host} port {port} ({getattr(error, 'strerror', None) or error})"
    raise InputError(f"{what}: choose another --admin-port") from None


def _tls(cert: Path | None, key: Path | None) -> Any:
    if cert is None:
        if key is not None:
            raise click.UsageError("--key is the key of a certificate: give --cert, too.")
        return None
    from treewhile.server.connections.admission import Certificate

    return Certificate(cert, key)
