"""Everything that is declared for one server, as children of its component."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pulumi

from dittoinfra import naming
from dittoinfra.components.kubernetes_object import KubernetesObject, declare_object
from dittoinfra.components.unpreviewed import moved_ports_hidden
from dittoinfra.decide.exposure import service_ports
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.decide.server_objects import ServerArgs, server_objects
from dittoinfra.model import DeclaredAdapter, RememberedNames
from dittoinfra.nested_values import block
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.settings import service_settings
from dittoinfra.state import server_memory


@dataclass(frozen=True, slots=True)
class AdapterService:
    """An adapter's Service, and what clients need to know of it."""

    service: KubernetesObject | None
    """None while its predecessor is still being deleted."""
    port: int
    """The port that clients use."""
    service_type: str
    node_port: pulumi.Output[int | None]
    """The port on every node; None where the Service has none."""
    addresses: pulumi.Output[list[str]]
    """Addresses outside the cluster, as the load balancer orders them; empty until it has given one."""
    named: NamedAdapter | None
    """The adapter's host names."""


def declare_server(
    args: ServerArgs, component: pulumi.ComponentResource, notes: Mapping[str, Any] | None = None
) -> Mapping[str, AdapterService]:
    """The Services of a server's adapters, and its workload where it is deployed, as children of a component.

    They, and the `notes` of the component itself, become its outputs: what the next run remembers of it.
    Returns the Services of every adapter, by type.
    """
    server, adapters = args.settings, args.decision.adapters
    names = {type_: RememberedNames(this.names, this.located) for type_, this in args.names.items()}
    # The stack's memory, and therefore before anything that may fail. Outputs, because a changed label or
    # count is no change of anything declared.
    memory = server_memory(
        server.namespace,
        adapters,
        args.found,
        names,
        args.removed,
        args.secrets_seen,
        args.carried_config,
        deployed=server.deploy is not None,
    )
    component.register_outputs({**memory, **(notes or {})})
    declared: dict[HeldObject, KubernetesObject] = {}
    for this in server_objects(args, preview=pulumi.runtime.is_dry_run()):
        declared[this.held] = declare_object(_previewable(this, args), component, declared)
    return {adapter.type: _service_of(args, adapter, declared) for adapter in adapters}


def _previewable(this: DeclaredObject, args: ServerArgs) -> DeclaredObject:
    """The object as the API accepts it in a preview, too."""
    now = args.unapplied.get(this.held)
    if now is None or not pulumi.runtime.is_dry_run():
        return this
    return replace(this, manifest=moved_ports_hidden(this, now))


def _service_of(
    args: ServerArgs, adapter: DeclaredAdapter, declared: Mapping[HeldObject, KubernetesObject]
) -> AdapterService:
    server, settings = args.settings, service_settings(args.settings, adapter.type)
    service = declared.get(HeldObject("v1", "Service", naming.adapter_resource(server.name, adapter.type)))
    data_port = service_ports(adapter, settings)[0]
    return AdapterService(
        service=service,
        port=data_port.port,
        service_type=settings.type,
        node_port=_node_port(service, data_port.name),
        addresses=service.status.apply(_external_addresses) if service else pulumi.Output.from_input([]),
        named=args.names.get(adapter.type),
    )


def _external_addresses(status: Mapping[str, Any] | None) -> list[str]:
    """Every address or host name that a load balancer has given a Service."""
    ingresses = block(status or {}, "loadBalancer").get("ingress") or ()
    return [given for ingress in ingresses if (given := ingress.get("ip") or ingress.get("hostname"))]


def _node_port(service: KubernetesObject | None, name: str) -> pulumi.Output[int | None]:
    """The node port of a Service's port; ports of others may stand before it."""
    if service is None:
        return pulumi.Output.from_input(None)

    def of_port(spec: Mapping[str, Any] | None) -> int | None:
        ports: Iterator[Mapping[str, Any]] = iter((spec or {}).get("ports") or ())
        number = next((port.get("nodePort") for port in ports if port.get("name") == name), None)
        return int(number) if number else None

    # A preview of a new Service may be told a port that is then given to another: without its ID, which no
    # preview knows, the port is not known either.
    spec: pulumi.Output[Mapping[str, Any] | None] = service.id.apply(lambda _: service.spec)
    return spec.apply(of_port)
