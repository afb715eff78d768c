"""A headless Service: DNS names for Pods, and no address of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServiceSpecArgs

from dittoinfra.decide import ServicePort
from dittoinfra.declare.metadata import metadata
from dittoinfra.declare.ports import service_port_args


@dataclass(frozen=True, slots=True)
class HeadlessServiceArgs:
    """What a headless Service is made of."""

    name: str
    namespace: str
    selector: Mapping[str, str]
    ports: Sequence[ServicePort]
    labels: Mapping[str, str]
    annotations: Mapping[str, str] = field(default_factory=dict)


class HeadlessService(pulumi.ComponentResource):
    """A Service that is headless whatever happens: `clusterIP` cannot change once it is set."""

    service: Service

    def __init__(
        self, name: str, args: HeadlessServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("dittoinfra:index:HeadlessService", name, None, opts)
        self.service = Service(
            name,
            metadata=metadata(args.name, args.namespace, args.labels, args.annotations),
            spec=ServiceSpecArgs(
                cluster_ip="None",
                # A Pod must be found by its name before it is ready: its readiness may hang on being found.
                publish_not_ready_addresses=True,
                selector=dict(args.selector),
                ports=service_port_args(args.ports),
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})
