"""The objects of one adapter: its Services, and the network policy that goes with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import Service
from pulumi_kubernetes.core.v1.outputs import ServiceSpec, ServiceStatus
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from dittoinfra.components.network_policy import declare_adapter_policy
from dittoinfra.components.resource_inputs import deleted_promptly, moved_to, state_name
from dittoinfra.decide.adapter_manifests import Manifest, service_manifests
from dittoinfra.decide.cluster_edits import only_reordered
from dittoinfra.decide.exposure import adapter_ingress, service_ports
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.model import DeclaredAdapter
from dittoinfra.object_model import HeldObject
from dittoinfra.settings import ServerSettings, TypeSettings
from dittoinfra.settings.base import duration_text
from dittoinfra.urns import FORMER_ADAPTER_TYPE, NETWORK_POLICY, SERVICE


@dataclass(frozen=True, slots=True)
class AdapterObjects:
    """An adapter's Service, a second one where UDP ports are split off, and a policy for both of them."""

    service: Service | None
    """None while its predecessor is still being deleted."""
    udp_service: Service | None
    policy: NetworkPolicy | None
    port: int
    """The port that clients use."""
    service_type: str
    node_port: pulumi.Output[int | None]
    """The port on every node; None where the Service has none."""
    addresses: pulumi.Output[list[str]]
    """Addresses outside the cluster, as the load balancer orders them; empty until it has given one."""
    named: NamedAdapter | None
    """The adapter's host names."""

    @property
    def all(self) -> list[pulumi.Resource]:
        """Every object that is declared."""
        return [each for each in (self.service, self.udp_service, self.policy) if each is not None]


def declare_adapter(
    server: ServerSettings,
    adapter: DeclaredAdapter,
    settings: TypeSettings,
    named: NamedAdapter | None,
    waiting: frozenset[HeldObject],
    contents: Mapping[HeldObject, Mapping[str, Any]],
    parent: pulumi.Resource,
) -> AdapterObjects:
    """An adapter's objects, as children of its server's component.

    `waiting` are Services that are still being deleted, and that this run does not declare; `contents` are
    objects as the engine last saw them.
    """

    def declare_service(resource: str, manifest: Manifest | None) -> Service | None:
        held = HeldObject("v1", "Service", resource)
        if manifest is None or held in waiting:
            return None
        opts = deleted_promptly(
            moved_to(parent, FORMER_ADAPTER_TYPE, SERVICE, resource),
            duration_text(settings.removal_timeout),
        )
        if only_reordered(contents.get(held, {}), manifest["spec"]["ports"]):
            opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=["spec.ports"]))
        return Service(
            state_name(resource, opts), metadata=manifest["metadata"], spec=manifest["spec"], opts=opts
        )

    first, second = service_manifests(server, adapter, settings, named)
    resource, _ = first
    service, udp_service = declare_service(*first), declare_service(*second)
    data_port = service_ports(adapter, settings)[0]
    ingress = adapter_ingress(server, adapter, settings)
    opts = moved_to(parent, FORMER_ADAPTER_TYPE, NETWORK_POLICY, resource)
    return AdapterObjects(
        service=service,
        udp_service=udp_service,
        policy=None if ingress is None else declare_adapter_policy(server, adapter.type, ingress, opts),
        port=data_port.port,
        service_type=settings.type,
        node_port=_node_port(service, data_port.name),
        addresses=service.status.apply(_external_addresses) if service else pulumi.Output.from_input([]),
        named=named,
    )


def _external_addresses(status: ServiceStatus | None) -> list[str]:
    """Every address or host name that a load balancer has given a Service."""
    balancer = status.load_balancer if status else None
    ingresses = (balancer.ingress if balancer else None) or ()
    return [given for ingress in ingresses if (given := ingress.ip or ingress.hostname)]


def _node_port(service: Service | None, name: str) -> pulumi.Output[int | None]:
    """The node port of a Service's port; ports of others may stand before it."""
    if service is None:
        return pulumi.Output.from_input(None)

    def of_port(spec: ServiceSpec | None) -> int | None:
        ports = (spec.ports if spec else None) or ()
        number = next((port.node_port for port in ports if port.name == name), None)
        return int(number) if number else None

    # A preview of a new Service may be told a port that is then given to another: without its ID, which no
    # preview knows, the port is not known either.
    spec: pulumi.Output[ServiceSpec | None] = service.id.apply(lambda _: service.spec)
    return spec.apply(of_port)
