"""`dittoinfra destroy`: delete everything that a stack holds."""

from dataclasses import replace
from typing import Annotated

import typer

from dittoinfra.cli.command_errors import UsageError
from dittoinfra.cli.operate import operate_on_stacks
from dittoinfra.cli.options import with_request
from dittoinfra.request import Operation, Request


@with_request(Operation.DESTROY, without=("expect_no_changes",))
def destroy(
    context: typer.Context,
    request: Request,
    remove: Annotated[
        bool, typer.Option("--remove", help="Then remove the stack itself and its configuration file.")
    ] = False,
) -> None:
    """Delete everything that a stack holds. Its configuration and its history stay, unless --remove is given.

    Examples:

      dittoinfra destroy test-42               show what goes, ask, and delete it
      dittoinfra destroy 'test-*' -y --remove  end every test stack for good
    """
    if remove and request.options.targets:
        raise UsageError("--remove ends the whole stack: it cannot go with --target")
    operate_on_stacks(context, replace(request, remove=remove))
