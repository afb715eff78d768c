"""Declares the Pulumi resources of a decision and the outputs of the stack. Nothing is decided here."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import pulumi

from dittoinfra.components import AdapterService, declare_object, declare_server
from dittoinfra.components import declare_held as declare_held_objects
from dittoinfra.decide.endpoints import bracketed
from dittoinfra.decide.explanation import conditions, held_outputs, state_text
from dittoinfra.decide.host_names import as_read, host_states
from dittoinfra.decide.server_objects import namespace_object
from dittoinfra.decide.stack_readme import ReadmeAdapter, held_in_readme, stack_readme
from dittoinfra.nested_values import block
from dittoinfra.program.declared_objects import server_args
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSettings
from dittoinfra.state import HeldStack
from dittoinfra.urns import SERVER_TYPE


class Server(pulumi.ComponentResource):
    """A DittoFS server: the parent of everything that is declared for it.

    This project's own program declares one for each server of a stack, after one decision on all of them. The
    components for other programs are this one with a decision of their own.
    """

    _named_in_objects: str = ""
    """Its name, where that is not its server's: then the names of its objects in the state have it, too."""

    def declare(
        self,
        record: RunRecord,
        server: ServerSettings,
        notes: Mapping[str, Any] | None = None,
        *,
        secrets_known: bool = True,
    ) -> Mapping[str, AdapterService]:
        """Declare what was decided for the server; its memory and `notes` become the component's outputs."""
        return declare_server(server_args(record, server, secrets_known=secrets_known), self, notes)


def declare(record: RunRecord) -> None:
    """Declare every namespace and server of a run, and export the outputs of the stack."""
    decision = record.decision
    namespaces = {name: declare_object(namespace_object(name)) for name in decision.namespaces.declared}
    outputs = {}
    adapters: list[ReadmeAdapter] = []
    for server in decision.declared:
        namespace = namespaces.get(server.namespace)
        opts = pulumi.ResourceOptions(depends_on=[namespace] if namespace is not None else None)
        objects = Server(SERVER_TYPE, server.name, None, opts).declare(record, server)
        outputs[server.name] = server_outputs(record, server, objects)
        adapters += _for_readme(server, objects)
    declare_held_objects(decision.held)
    for server in decision.known:
        if exported := block(decision.held.outputs, "servers", server.name):
            now = conditions(server, decision.adapters.servers[server.name])
            outputs[server.name] = {**exported, "conditions": [asdict(condition) for condition in now]}
            adapters += held_in_readme(server.name, exported)
    pulumi.export("servers", outputs)
    pulumi.export("readme", stack_readme(record.configuration.stack, adapters))


def declare_held(held: HeldStack, why: str) -> None:
    """Declare everything that the state holds exactly as it is, and export why no server is ready."""
    declare_held_objects(held)
    for name, value in held_outputs(held.outputs, why).items():
        pulumi.export(name, value)


def server_outputs(
    record: RunRecord, settings: ServerSettings, declared: Mapping[str, AdapterService]
) -> dict[str, Any]:
    """One server's adapters, their addresses, and the server's status."""
    decision = record.decision.adapters.servers[settings.name]
    # Manifests have no node ports; nor may outputs have nulls, which are lost where a held run reads them.
    has_node_ports = record.configuration.manifests is None
    return {
        "namespace": settings.namespace,
        "adapters": {
            adapter.type: {
                "state": state_text(adapter, settings.absence_polls),
                "port": adapter.port,
                "endpoints": _endpoints(declared[adapter.type], settings, has_node_ports),
                **_dns(declared[adapter.type]),
            }
            for adapter in decision.adapters
        },
        "conditions": [asdict(condition) for condition in conditions(settings, decision)],
    }


def _for_readme(settings: ServerSettings, declared: Mapping[str, AdapterService]) -> Iterator[ReadmeAdapter]:
    for adapter_type, adapter in declared.items():
        hostname = adapter.named.names.hostname if adapter.named is not None else None
        yield ReadmeAdapter(settings.name, settings.namespace, adapter_type, adapter.port, hostname)


def _endpoints(adapter: AdapterService, settings: ServerSettings, has_node_ports: bool) -> Mapping[str, Any]:
    port, service = adapter.port, adapter.service
    if service is None:
        return {"type": adapter.service_type, "internal": None, "external": []}
    name = service.metadata.apply(lambda metadata: metadata["name"])
    endpoints = {
        "type": adapter.service_type,
        "internal": name.apply(lambda name: f"{name}.{settings.namespace}.svc:{port}"),
        # Only a load balancer gives an address: for other types that is known before the run.
        "external": adapter.addresses.apply(
            lambda found: [f"{bracketed(each)}:{port}" for each in sorted(found)]
        )
        if adapter.service_type == "LoadBalancer"
        else [],
    }
    if has_node_ports and adapter.service_type != "ClusterIP":
        endpoints["nodePort"] = adapter.node_port
    return endpoints


def _dns(adapter: AdapterService) -> Mapping[str, Any]:
    if adapter.named is None:
        return {}
    names, known = adapter.named.names, adapter.named.located
    # What was known before the run may be newer than the state's Service, and this run's update newer still.
    read = adapter.addresses.apply(
        lambda found: known if known.addresses else as_read(names, replace(known, addresses=tuple(found)))
    )
    return {
        "dns": {
            "backend": names.backend,
            "hostname": names.hostname,
            "aliases": list(names.aliases),
            "addresses": read.apply(lambda read: list(read.addresses)),
            "reason": read.apply(lambda read: str(host_states(names, read)[names.hostname])),
        }
    }
