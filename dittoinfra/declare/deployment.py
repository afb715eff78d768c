"""A server's workload: deployed by this stack, or somebody else's that gets the adapters' ports."""

from collections.abc import Sequence

import pulumi
from pulumi_kubernetes.apps.v1 import StatefulSet, StatefulSetPatch

from dittoinfra import naming
from dittoinfra.decide import ContainerPort, headless_ports, template_ports
from dittoinfra.decide.server_config import config_hash, config_yaml
from dittoinfra.declare.disruption import declare_disruption_budget
from dittoinfra.declare.headless import HeadlessService, HeadlessServiceArgs
from dittoinfra.declare.port_patch import declare_port_patch
from dittoinfra.declare.reach import declare_reach
from dittoinfra.declare.server import Server, ServerArgs
from dittoinfra.declare.server_config import declare_server_config
from dittoinfra.declare.workload import WorkloadArgs, declare_workload
from dittoinfra.settings import Deploy

Workload = StatefulSet | StatefulSetPatch


def declare_deployment(
    of: Server, args: ServerArgs, ports: Sequence[ContainerPort]
) -> tuple[HeadlessService | None, Workload | None]:
    """What the settings say about it, as parts of the server's component."""
    server = args.settings
    if server.deploy is not None:
        return _deployed(of, args, server.deploy, ports)
    if ports:
        return None, declare_port_patch(server, ports, pulumi.ResourceOptions(parent=of))
    return None, None


def _deployed(
    of: Server, args: ServerArgs, deploy: Deploy, ports: Sequence[ContainerPort]
) -> tuple[HeadlessService, StatefulSet]:
    server, adapters = args.settings, args.decision.adapters
    child = pulumi.ResourceOptions(parent=of)
    declare_reach(server, deploy, args.kinds, child)
    headless = HeadlessService(
        naming.headless_service(server.name),
        HeadlessServiceArgs(
            name=naming.headless_service(server.name),
            namespace=server.namespace,
            app=naming.APP,
            instance=server.name,
            ports=headless_ports(ports, adapters, deploy),
            labels=naming.server_labels(server.name, server.labels),
            selector=naming.selector(server.name),
            # A Pod must be found by its name before it is ready: its readiness may hang on that.
            publish_not_ready_addresses=True,
        ),
        child,
    )
    declare_disruption_budget(server, deploy, child)
    configured = declare_server_config(server, deploy, args.secrets, args.kinds, child)
    workload = declare_workload(
        WorkloadArgs(
            server,
            deploy,
            template_ports(ports, deploy),
            config_hash(config_yaml(server, deploy), args.secrets.jwt if args.secrets else None),
        ),
        pulumi.ResourceOptions(parent=of, depends_on=configured),
    )
    return headless, workload
