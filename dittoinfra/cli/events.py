"""The options by which a command tells events."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.errors import CommandError

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Project
    from dittoinfra.cluster import Cluster
    from dittoinfra.events import EventTeller, Sink

EventsFile = Annotated[
    str | None,
    typer.Option(
        "--events",
        metavar="FILE|-",
        help="Append an event for everything that happens, one JSON object per line "
        "(docs/schemas/event.schema.json); `-` is standard output.",
        rich_help_panel="Reports",
    ),
]
KubernetesEventsWanted = Annotated[
    bool,
    typer.Option(
        "--kubernetes-events",
        help="Write what happens as Kubernetes Events on the objects; needs leave to create Events.",
        rich_help_panel="Reports",
    ),
]


@contextmanager
def telling_events(
    project: "Project", file: str | None, *, kubernetes: bool, previews: bool = False
) -> "Iterator[EventTeller]":
    """Whoever tells the events that were asked for; `listen(stack)` of it goes into `on_event`."""
    from dittoinfra.events import EventTeller, JsonLines, KubernetesEvents

    with ExitStack() as opened:
        sinks: list[Sink] = []
        if file == "-":
            sinks.append(JsonLines(sys.stdout, _warn))
        elif file is not None:
            try:
                stream = opened.enter_context(Path(file).open("a", encoding="utf-8"))
            except OSError as error:
                raise CommandError(
                    f"--events {file}: {error.strerror}; name a file that can be written", exit_code=2
                ) from None
            sinks.append(JsonLines(stream, _warn))
        if kubernetes:
            told = KubernetesEvents(lambda stack, config: _cluster(project, stack, config), _warn)
            opened.callback(told.close)
            sinks.append(told)
        yield EventTeller(*sinks, previews=previews)


def _cluster(project: "Project", stack: str, config: Mapping[str, str]) -> "Cluster | None":
    from dittoinfra.automation import CliFailedError, CommandLine
    from dittoinfra.cluster import ClusterError
    from dittoinfra.events.clusters import cluster_of

    def secret(key: str) -> str:
        cli = CommandLine(project.command, project.root, project.environment)
        try:
            return cli.ask("config", "get", key, "--stack", stack)
        except CliFailedError as error:
            raise ClusterError(str(error)) from None

    return cluster_of(config, project.environment, secret)


def _warn(line: str) -> None:
    typer.echo(f"warning: {line}", err=True)
