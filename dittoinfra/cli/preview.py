"""`dittoinfra preview`: what `up` would do."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dittoinfra.cli.command_errors import UsageError
from dittoinfra.cli.operate import operate_on_stacks
from dittoinfra.cli.options import with_request
from dittoinfra.request import Operation, Request


@with_request(Operation.PREVIEW, without=("yes", "skip_preview", "kubernetes_events"))
def preview(
    context: typer.Context,
    request: Request,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", dir_okay=False, help="Write a plan, for `up --plan FILE`. No secret is in it."
        ),
    ] = None,
) -> None:
    """Show what `up` would change, and why, without changing anything.

    Asks every server, decides, and lets the engine compare.
    Several stacks are previewed side by side.

    Examples:

      dittoinfra preview                            the selected stack
      dittoinfra preview 'prod-*' --diff            as the engine prints it
      dittoinfra preview --all --expect-no-changes  exit code 7 on changes
      dittoinfra preview prod --save prod.plan      to be applied with up --plan
      dittoinfra preview --all --report-md pr.md    for a pull request's comment
    """
    if save is not None and request.options.refresh:
        raise UsageError(
            "--save and --refresh contradict each other: a plan holds for the state as it is; "
            "run `dittoinfra refresh` first"
        )
    operate_on_stacks(context, replace(request, outputs=replace(request.outputs, plan=save)))
