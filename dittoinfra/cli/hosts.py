"""`dittoinfra hosts`: what the names of a stack lead to now."""

from typing import TYPE_CHECKING

import typer

from dittoinfra.cli import options
from dittoinfra.cli.completion import Stack
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.one_stack import cli_trouble, configured_stack
from dittoinfra.cli.project import project_at_hand

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import ProjectStack
    from dittoinfra.decide.hosts import HostRecord


def hosts(context: typer.Context, stack: Stack, as_json: options.Json = False) -> None:
    """Print what each name of a stack leads to now, as a hosts file. Changes nothing.

    Names are those that the stack has declared, addresses those of the live
    Services: all of them, IPv4 and IPv6. A load balancer that has only a name
    is looked up. Whatever leads nowhere yet stands in a comment that says why.
    Where manifests are rendered there is no cluster to ask, and addresses are
    those that the state knows.

    Examples:

      dittoinfra hosts prod                  every name and where it leads
      dittoinfra hosts prod >> /etc/hosts    for a machine without that DNS
      dittoinfra hosts prod --json           see docs/schemas/hosts.schema.json
    """
    chosen = configured_stack(project_at_hand(context), stack)
    chosen.create = False
    from dittoinfra.decide.hosts import hosts_file
    from dittoinfra.insight.documents import hosts_document

    records = _records(chosen)
    if as_json:
        typer.echo(hosts_document(stack, records).model_dump_json(indent=2))
    else:
        typer.echo(hosts_file(records), nl=False)


def _records(stack: "ProjectStack") -> "tuple[HostRecord, ...]":
    from dittoinfra.automation import CliFailedError
    from dittoinfra.cluster import ClusterError, connect
    from dittoinfra.memory import remembered_names
    from dittoinfra.program.hosts import hosts_of, state_resources

    try:
        configuration = stack.configuration()
        resources = state_resources(stack.export())
    except CliFailedError as error:
        raise cli_trouble(stack.name, error) from None
    if configuration.manifests is not None or not remembered_names(resources).told:
        return hosts_of(resources, None)
    try:
        with connect(configuration.kubeconfig(stack.environment), configuration.context) as cluster:
            return hosts_of(resources, cluster)
    except ClusterError as error:
        raise CommandError(f"{stack.name}: {error}") from None
