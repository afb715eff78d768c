"""`dittoinfra refresh`: take over into the state what the cluster really holds."""

import typer

from dittoinfra.cli.operate import operate_on_stacks
from dittoinfra.cli.options import with_request
from dittoinfra.request import Operation, Request


@with_request(Operation.REFRESH, without=("refresh",))
def refresh(context: typer.Context, request: Request) -> None:
    """Update the state to what the cluster really holds. Nothing in the cluster changes.

    Examples:

      dittoinfra refresh --all --yes           every stack
      dittoinfra refresh prod --diff           see what was edited, then decide
      dittoinfra refresh --expect-no-changes   exit code 7 where the cluster has drifted
    """
    operate_on_stacks(context, request)
