"""`dittoinfra hosts`: what is known of the names of a stack."""

from typing import TYPE_CHECKING

import typer

from dittoinfra.cli import options
from dittoinfra.cli.command_errors import CommandError, stack_errors
from dittoinfra.cli.stack_lookup import configured_stack
from dittoinfra.stacks.backend_stack import BackendStack

if TYPE_CHECKING:  # models take a fifth of a second to import, which a wrong flag need not cost
    from dittoinfra.decide.host_records import HostRecord


def hosts(context: typer.Context, stack: options.Stack, as_json: options.Json = False) -> None:
    """Print what is known of each name of a stack, as a hosts file. Changes nothing.

    Names are those that the stack has asked for, addresses those of the live
    Services that their backend uses: router-hosts the first IP address,
    external-dns all of them, and those that a load balancer's name has. A
    comment for each name says how it stands, and what it resolves to on this
    machine. HostRequested: its Service or HostMapping asks for it, and no
    more is known. HostRegistered: router-hosts has an entry for it, as it says
    on the Service or in the condition Synced of the HostMapping. HostPinned:
    the load balancer has lost an address, which stays asked for.
    Where manifests are rendered there is no cluster to ask, and addresses are
    those that the state knows.

    Examples:

      dittoinfra hosts prod                  every name, and what is known of it
      dittoinfra hosts prod >> /etc/hosts    for a machine without that DNS
      dittoinfra hosts prod --json           see docs/schemas/hosts.schema.json
    """
    chosen = configured_stack(context, stack, create=False)
    from dittoinfra.decide.host_records import hosts_file
    from dittoinfra.reports.status.status_model import HostsDocument

    records = _records(chosen)
    if as_json:
        typer.echo(HostsDocument(stack=stack, hosts=records).model_dump_json(indent=2))
    else:
        typer.echo(hosts_file(records), nl=False)


def _records(stack: BackendStack) -> "tuple[HostRecord, ...]":
    from dittoinfra.kubernetes import ClusterError, connect
    from dittoinfra.program.host_lookup import hosts_of
    from dittoinfra.state import exported_resources, remembered_names

    with stack_errors(stack.name):
        configuration = stack.configuration()
        resources = exported_resources(stack.export())
    if configuration.manifests is not None or not remembered_names(resources).told:
        return hosts_of(resources, None)
    try:
        with connect(configuration.kubeconfig(stack.environment), configuration.context) as cluster:
            return hosts_of(resources, cluster)
    except ClusterError as error:
        raise CommandError(f"{stack.name}: {error}") from None
