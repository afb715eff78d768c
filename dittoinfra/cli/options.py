"""The arguments and flags that several commands share, with the names that `pulumi` gives them.

The signatures of `selection_flags`, `query_flags` and `_request_flags` are lists of flags, in the order in
which `--help` shows them.
"""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer
from typer.models import ArgumentInfo, OptionInfo

from dittoinfra.cli.command_errors import UsageError
from dittoinfra.request import Operation, Outputs, Request, RunOptions, Selection

Made = TypeVar("Made")
Own = ParamSpec("Own")
Completion = Callable[[typer.Context, str], list[str]]


def stack_names(context: typer.Context, incomplete: str) -> list[str]:
    """For the shell: stacks that have a configuration file. No CLI is asked."""
    from dittoinfra.projectfile import NoProjectError, configured_stacks

    try:
        names = configured_stacks(_completion_root(context))
    except (NoProjectError, OSError, ValueError):
        return []
    return [name for name in names if name.startswith(incomplete)]


def server_names(context: typer.Context, incomplete: str) -> list[str]:
    """For the shell: servers that the configuration of the stack before them names."""
    import yaml

    from dittoinfra.projectfile import NoProjectError, written_values

    try:
        values = written_values(_completion_root(context), str(context.params["stack"]))
        names = [str(server["name"]) for server in values["dittoinfra:servers"]]
    except (NoProjectError, OSError, ValueError, LookupError, TypeError, yaml.YAMLError):
        return []
    return [name for name in names if name.startswith(incomplete)]


def _completion_root(context: typer.Context) -> Path:
    from dittoinfra.projectfile import find_project

    # The application's own callback does not run for a completion, but its options are read.
    return find_project(Path(context.find_root().params.get("cwd") or Path()).absolute())


def argument(metavar: str, text: str, complete: Completion | None = None) -> ArgumentInfo:
    """An argument of a command; `complete` finishes a word of it in the shell."""
    made: ArgumentInfo = typer.Argument(
        metavar=metavar, help=text, autocompletion=complete, show_default=False
    )
    return made


Stack = Annotated[str, argument("STACK", "Name of the stack.", stack_names)]
_SEVERAL = "Stacks by name or glob ('prod-*'). Without any: the selected one, or the only one."
Stacks = Annotated[list[str] | None, argument("STACK", _SEVERAL, stack_names)]
Every = Annotated[bool, typer.Option("--all", help="Every stack that has a configuration file here.")]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="NAME[=VALUE]", help="Only stacks with this tag; may be repeated."),
]
AtOnce = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Stacks at a time.", show_default="2 to 8, by processors"),
]
Json = Annotated[bool, typer.Option("--json", "-j", help="Print one JSON document instead of a summary.")]


def selection_flags(stacks: Stacks = None, every: Every = False, tag: Tags = None) -> Selection:
    """Which stacks are meant."""
    return Selection(tuple(stacks or ()), every, tuple(tag or ()))


@dataclass(frozen=True, slots=True)
class Query:
    """A question about stacks, which changes nothing."""

    selection: Selection
    as_json: bool
    at_once: int | None


def query_flags(
    stacks: Stacks = None,
    every: Every = False,
    tag: Tags = None,
    as_json: Json = False,
    at_once: AtOnce = None,
) -> Query:
    """Which stacks are asked about, and how that is shown."""
    return Query(selection_flags(stacks, every, tag), as_json, at_once)


def check_report_folder(flag: str, path: Path | None) -> None:
    """Refuse before anything begins what could only fail at its end: a mistyped path."""
    if path is not None and not (folder := path.absolute().parent).is_dir():
        raise UsageError(f"{flag} {path}: there is no folder {folder}; make it first")


def report_option(flag: str, text: str, metavar: str | None = "FILE") -> OptionInfo:
    """A file that a report is written to."""
    option: OptionInfo = typer.Option(
        flag, metavar=metavar, dir_okay=False, help=text, rich_help_panel="Reports"
    )
    return option


def _request_flags(
    operation: Operation,
    stacks: Stacks = None,
    every: Every = False,
    tag: Tags = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask: go on after the preview.")] = False,
    skip_preview: Annotated[
        bool, typer.Option("--skip-preview", "-f", help="Neither preview nor ask: do it at once.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show every change as the engine prints it.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show what the engine itself prints about every stack.")
    ] = False,
    as_json: Json = False,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            metavar="URN",
            help="Touch only this resource: its URN, or a glob such as '**media/nfs'. May be repeated.",
        ),
    ] = None,
    expect_no_changes: Annotated[
        bool, typer.Option("--expect-no-changes", help="End with exit code 7 where something would change.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", "-r", help="First update the state to what the cluster really holds.")
    ] = False,
    parallel: Annotated[
        int | None,
        typer.Option(
            "--parallel", "-p", min=1, metavar="N", help="Resource operations at a time, per stack."
        ),
    ] = None,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", metavar="TEXT", help="Message recorded in the stack's history."),
    ] = None,
    policy_pack: Annotated[
        list[Path] | None,
        typer.Option(
            "--policy-pack",
            metavar="FOLDER",
            help="A policy pack that the run has to pass (docs/policy.md). May be given again.",
        ),
    ] = None,
    policy_pack_config: Annotated[
        list[Path] | None,
        typer.Option(
            "--policy-pack-config",
            metavar="FILE",
            help="JSON configuration of the policy pack at the same position.",
        ),
    ] = None,
    at_once: AtOnce = None,
    break_lock: Annotated[
        bool,
        typer.Option(
            "--break-lock", help="First release the lock that a dead run has left (as `pulumi cancel` does)."
        ),
    ] = False,
    report_md: Annotated[
        Path | None,
        report_option("--report-md", "Write a report as Markdown, for a pull request's comment."),
    ] = None,
    report_json: Annotated[
        Path | None,
        report_option(
            "--report-json", "Write a report as JSON, for programs (docs/schemas/report.schema.json)."
        ),
    ] = None,
    report_html: Annotated[
        Path | None, report_option("--report-html", "Write a report as one HTML page, for people.")
    ] = None,
    events: Annotated[
        str | None,
        report_option(
            "--events",
            "Append an event for everything that happens, one JSON object per line "
            "(docs/schemas/event.schema.json); `-` is standard output.",
            "FILE|-",
        ),
    ] = None,
    kubernetes_events: Annotated[
        bool,
        report_option(
            "--kubernetes-events",
            "Write what happens as Kubernetes Events on the objects; needs permission to create Events.",
            None,
        ),
    ] = False,
) -> Request:
    return Request(
        operation,
        selection_flags(stacks, every, tag),
        RunOptions(
            targets=tuple(target or ()),
            parallel=parallel,
            refresh=refresh,
            expect_no_changes=expect_no_changes,
            diff=diff,
            message=message,
            policy_packs=tuple(policy_pack or ()),
            policy_pack_configs=tuple(policy_pack_config or ()),
        ),
        Outputs(
            as_json=as_json,
            verbose=verbose,
            report_md=report_md,
            report_json=report_json,
            report_html=report_html,
            events=events,
            kubernetes_events=kubernetes_events,
        ),
        at_once=at_once,
        yes=yes,
        skip_preview=skip_preview,
        break_lock=break_lock,
    )


def with_request(
    operation: Operation, *, without: Collection[str] = ()
) -> Callable[[Callable[Concatenate[typer.Context, Request, Own], None]], Callable[..., None]]:
    """Give a command the flags of an operation on stacks, but for those that it does not have.

    Only what runs the program can be checked by policy packs.

    Its own flags stand after those that say which stacks are meant and who is asked.
    """
    policies = () if operation.creates else ("policy_pack", "policy_pack_config")
    left_out = (*without, *policies)
    return with_flags(partial(_request_flags, operation), own_before="diff", without=left_out)


def with_flags(
    make: Callable[..., Made], *, own_before: str | None = None, without: Collection[str] = ()
) -> Callable[[Callable[Concatenate[typer.Context, Made, Own], None]], Callable[..., None]]:
    """Give a command the parameters of `make`, and what `make` returns in their place.

    Typer reads a command's flags from its signature. The command's own ones stand before the flag
    `own_before`, or after all others.
    """
    flags = [flag for name, flag in inspect.signature(make).parameters.items() if name not in without]
    names = [flag.name for flag in flags]
    place = len(flags) if own_before is None else names.index(own_before)

    def decorate(command: Callable[Concatenate[typer.Context, Made, Own], None]) -> Callable[..., None]:
        call: Callable[..., None] = command
        context, _, *own = inspect.signature(command).parameters.values()

        @wraps(command)
        def run(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - each flag has a type of its own
            made = make(**{name: values.pop(name) for name in names})
            call(context, made, **values)

        vars(run)["__signature__"] = inspect.Signature([context, *flags[:place], *own, *flags[place:]])
        return run

    return decorate


def seconds_of(text: str, flag: str) -> float:
    """A time on the command line, written as in the configuration: `90s`, `5m`, `1h`, or `0` for none."""
    if text == "0":
        return 0.0
    from pydantic import TypeAdapter, ValidationError

    from dittoinfra.settings.base import LongDuration

    reader: TypeAdapter[timedelta] = TypeAdapter(LongDuration)
    try:
        return reader.validate_python(text).total_seconds()
    except ValidationError as error:
        why = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        raise UsageError(f"{flag} {text}: {why}, or 0") from None
