"""`dittoinfra up`: declare what the servers serve, and let the engine make it so."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dittoinfra.cli.command_errors import UsageError
from dittoinfra.cli.operate import operate_on_stacks
from dittoinfra.cli.options import seconds_of, with_request
from dittoinfra.request import Operation, Request


@with_request(Operation.UP)
def up(
    context: typer.Context,
    request: Request,
    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            dir_okay=False,
            help="Do exactly what `preview --save FILE` has shown, or refuse and say what has moved since.",
        ),
    ] = None,
    wait: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="How long to wait for servers that this run deploys, to declare their adapters as well, "
            "and with --verify for clients to reach them. 0 does not wait.",
        ),
    ] = "5m",
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Then check that clients reach every adapter, as `verify` does; reports and --json tell it.",
        ),
    ] = False,
) -> None:
    """Preview, ask once, and update: one stack or many side by side.

    Every server is asked once: what the preview has shown is what is applied,
    or nothing where the stack or its configuration has moved meanwhile.
    On a new stack `up` waits until the servers it has deployed answer, and
    declares their adapters too. A stack that fails stops no other.

    Examples:

      dittoinfra up                        the selected stack
      dittoinfra up --all --yes            every stack with a file here, unasked
      dittoinfra up 'prod-*' --at-once 4   four at a time
      dittoinfra up --plan prod.plan -y    what was previewed, if servers still say it
      dittoinfra up prod --yes --verify    and then whether clients reach it
    """
    if plan is not None and (request.options.targets or request.options.refresh):
        raise UsageError("--plan says what is done: it cannot go with --target or --refresh")
    if plan is not None and (request.selection.every or request.selection.tags):
        raise UsageError("--plan says which stacks are meant: it cannot go with --all or --tag")
    if verify and request.outputs.only_events_on_stdout:
        raise UsageError("--verify prints lines: it cannot go with --events -; name a file for the events")
    operate_on_stacks(
        context, replace(request, plan_file=plan, wait=seconds_of(wait, "--wait"), verify=verify)
    )
