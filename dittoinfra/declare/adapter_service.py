"""The Service of one adapter, and the network policy that goes with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServiceSpecArgs
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from dittoinfra import naming
from dittoinfra.decide import NamedAdapter, ServicePort, service_ports
from dittoinfra.decide.network import adapter_ingress
from dittoinfra.declare.endpoints import external_addresses
from dittoinfra.declare.metadata import SKIP_AWAIT, metadata
from dittoinfra.declare.network_policy import declare_adapter_policy
from dittoinfra.declare.ports import service_port_args
from dittoinfra.memory import DNS_OUTPUT, told_names
from dittoinfra.model import DeclaredAdapter
from dittoinfra.settings import ServerSettings, TypeSettings


@dataclass(frozen=True, slots=True)
class AdapterServiceArgs:
    """What an adapter's Service is made of."""

    server: ServerSettings
    adapter: DeclaredAdapter
    settings: TypeSettings
    named: NamedAdapter | None = None


class AdapterService(pulumi.ComponentResource):
    """An adapter's Service, a second one where UDP ports are split off, and a policy for both of them."""

    service: Service
    udp_service: Service | None
    policy: NetworkPolicy | None
    port: int
    """The port that clients use."""
    addresses: pulumi.Output[list[str]]
    """Addresses outside the cluster; empty until a load balancer has given one."""
    named: NamedAdapter | None
    """The adapter's names."""

    def __init__(
        self, name: str, args: AdapterServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(naming.ADAPTER_SERVICE_TYPE, name, None, opts)
        server, adapter = args.server.name, args.adapter.type
        ports = service_ports(args.adapter, args.settings)
        self.port = ports[0].port
        apart = [port for port in ports if port.protocol == "UDP"] if args.settings.split_udp else []
        together = [port for port in ports if port not in apart]
        self.named = args.named
        # A name leads to one Service: the second one has the same annotations without it.
        names = args.named.annotations if args.named else {}
        self.service = self._declare(args, name, naming.adapter_service(server, adapter), together, names)
        self.udp_service = (
            self._declare(
                args,
                naming.udp_resource(name),
                naming.adapter_udp_service(server, adapter),
                apart,
                {},
            )
            if apart
            else None
        )
        ingress = adapter_ingress(args.server, args.adapter, args.settings)
        self.policy = (
            declare_adapter_policy(args.server, adapter, ingress, pulumi.ResourceOptions(parent=self))
            if ingress is not None
            else None
        )
        self.addresses = self.service.status.apply(external_addresses)
        self.register_outputs(
            {DNS_OUTPUT: told_names(args.named.names, args.named.addresses)} if args.named else {}
        )

    def _declare(
        self,
        args: AdapterServiceArgs,
        resource: str,
        name: str,
        ports: Sequence[ServicePort],
        names: Mapping[str, str],
    ) -> Service:
        server, adapter = args.server, args.adapter
        labels = naming.adapter_labels(server.name, adapter.type, server.labels)
        return Service(
            resource,
            metadata=metadata(name, server.namespace, labels, _annotations(adapter, args.settings, names)),
            spec=_spec(server, args.settings, ports),
            opts=pulumi.ResourceOptions(parent=self),
        )


def _annotations(
    adapter: DeclaredAdapter, settings: TypeSettings, names: Mapping[str, str]
) -> dict[str, str]:
    annotations = {} if settings.wait else {SKIP_AWAIT: "true"}
    annotations |= settings.annotations
    annotations |= names
    if adapter.absences:
        annotations[naming.ABSENCE_ANNOTATION] = str(adapter.absences)
    return annotations


def _spec(server: ServerSettings, settings: TypeSettings, ports: Sequence[ServicePort]) -> ServiceSpecArgs:
    balanced = settings.type == "LoadBalancer"
    external = settings.type != "ClusterIP"
    # Kubernetes refuses these fields on a Service whose type has no use for them.
    return ServiceSpecArgs(
        type=settings.type,
        selector=naming.selector(server.name),
        ports=service_port_args(ports),
        load_balancer_source_ranges=(settings.source_ranges or None) if balanced else None,
        load_balancer_class=settings.load_balancer_class if balanced else None,
        external_traffic_policy=settings.external_traffic_policy if external else None,
        session_affinity=settings.session_affinity,
        ip_family_policy=settings.ip_family_policy,
    )
