"""Everything declared for one server."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi

from dittoinfra import naming
from dittoinfra.decide import NamedAdapter, container_ports
from dittoinfra.decide.kinds import KindDecision
from dittoinfra.declare.adapter_service import AdapterService, AdapterServiceArgs
from dittoinfra.declare.headless import HeadlessService
from dittoinfra.declare.network_policy import declare_baseline_policy, declare_default_deny
from dittoinfra.memory.servers import server_memory
from dittoinfra.model import FoundServer, ServerDecision
from dittoinfra.settings import ServerSecrets, ServerSettings, service_settings


@dataclass(frozen=True, slots=True)
class ServerArgs:
    """What is declared for a server is a matter of its settings and of the decision on its adapters."""

    settings: ServerSettings
    decision: ServerDecision
    kinds: KindDecision = field(default_factory=KindDecision)
    secrets: ServerSecrets | None = None
    names: Mapping[str, NamedAdapter] = field(default_factory=dict)
    """Names of the adapters that have some, by type."""
    found: FoundServer | None = None
    """None where the configuration names the server."""


class Server(pulumi.ComponentResource):
    """A DittoFS server: the Services of its adapters, and its workload where this stack deploys it."""

    adapters: dict[str, AdapterService]
    headless: HeadlessService | None = None
    workload: pulumi.CustomResource | None = None

    def __init__(self, name: str, args: ServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(naming.SERVER_TYPE, name, None, opts)
        # The memory of what was found, and so before anything that may fail. Outputs, because a changed label
        # is no change of anything declared.
        self.register_outputs(server_memory(args.settings.namespace, args.found))
        server, adapters = args.settings, args.decision.adapters
        exposed = {adapter.type: service_settings(server, adapter.type) for adapter in adapters}
        ports = container_ports(adapters, exposed, server.deploy)
        child = pulumi.ResourceOptions(parent=self)
        self.adapters = {
            adapter.type: AdapterService(
                naming.adapter_resource(server.name, adapter.type),
                AdapterServiceArgs(server, adapter, exposed[adapter.type], args.names.get(adapter.type)),
                child,
            )
            for adapter in adapters
        }
        baseline = declare_baseline_policy(server, child)
        opened = [*self.adapters.values(), *([baseline] if baseline else [])]
        # Last, so that what is let in never waits for what is kept out.
        declare_default_deny(server, pulumi.ResourceOptions(parent=self, depends_on=opened))
        if server.deploy is not None or server.patch_ports:
            # The provider's kinds for workloads take a while to load, and most stacks have none.
            from dittoinfra.declare.deployment import declare_deployment

            self.headless, self.workload = declare_deployment(self, args, ports)
