"""The component with everything that is declared for one server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from dittoinfra.components.adapter_service import AdapterObjects, declare_adapter
from dittoinfra.components.collect import collect_objects
from dittoinfra.components.network_policy import declare_baseline_policy, declare_default_deny
from dittoinfra.components.resource_inputs import deleted_promptly
from dittoinfra.decide.custom_kinds import KindDecision, host_mapping
from dittoinfra.decide.exposure import container_ports
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.model import FoundServer, RememberedAdapter, RememberedNames, ServerDecision
from dittoinfra.object_model import DeclaredObject, HeldObject, SecretsSeen
from dittoinfra.settings import ServerSecrets, ServerSettings, service_settings
from dittoinfra.settings.base import duration_text
from dittoinfra.state import server_memory
from dittoinfra.urns import SERVER_TYPE


@dataclass(frozen=True, slots=True)
class ServerArgs:
    """The inputs of a server's component: its settings and the decision on its adapters."""

    settings: ServerSettings
    decision: ServerDecision
    kinds: KindDecision = field(default_factory=KindDecision)
    secrets: ServerSecrets | None = None
    names: Mapping[str, NamedAdapter] = field(default_factory=dict)
    """Names of the adapters that have some, by type."""
    found: FoundServer | None = None
    """None where the configuration names the server."""
    replaces: bool = False
    """Whether this run deletes the server's StatefulSet and creates another one in its place."""
    patched_ports: str | None = None
    """Ports that the stack has added to a StatefulSet of another manager, as its annotation lists them."""
    live_ports: frozenset[str] = frozenset()
    """Ports that this StatefulSet has in the cluster, as `naming.port_text` spells them."""
    waiting: frozenset[HeldObject] = frozenset()
    """Objects of adapters that are still being deleted, and that this run does not declare."""
    contents: Mapping[HeldObject, Mapping[str, Any]] = field(default_factory=dict)
    """Objects as the engine last saw them, with what was declared of them."""
    restarted: str | None = None
    """When `kubectl rollout restart` was last run on the workload."""
    secrets_seen: SecretsSeen = field(default_factory=SecretsSeen)
    """What is remembered of the Secrets that the server reads, with the hash for its Pod's template."""
    carried_config: Mapping[str, Any] = field(default_factory=dict)
    """What the server's configuration had beyond the settings when it was adopted."""
    removed: tuple[RememberedAdapter, ...] = ()
    """Adapters whose Services this run deletes, as they were remembered."""
    secrets_known: bool = True
    """Whether the `secrets` are known: in a preview they may be outputs of resources yet to be created."""


def declare_server(
    args: ServerArgs, component: pulumi.ComponentResource, notes: Mapping[str, Any] | None = None
) -> Mapping[str, AdapterObjects]:
    """The Services of a server's adapters, and its workload where it is deployed, as children of a component.

    They, and the `notes` of the component itself, become its outputs: what the next run remembers of it.
    Returns the objects of every adapter, by type.
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
    settings = {adapter.type: service_settings(server, adapter.type) for adapter in adapters}
    declared = {
        adapter.type: declare_adapter(
            server,
            adapter,
            settings[adapter.type],
            args.names.get(adapter.type),
            args.waiting,
            args.contents,
            component,
        )
        for adapter in adapters
    }
    _declare_mappings(args, component)
    baseline = declare_baseline_policy(server, pulumi.ResourceOptions(parent=component))
    allowing = [this for adapter in declared.values() for this in adapter.all]
    if baseline is not None:
        allowing.append(baseline)
    # Last, so that the policies that allow traffic never wait for the one that denies it.
    declare_default_deny(server, pulumi.ResourceOptions(parent=component, depends_on=allowing))
    if server.deploy is not None or server.patch_ports:
        # The provider's workload modules are slow to import, and most stacks have no workload.
        from dittoinfra.components.workload import declare_workload

        declare_workload(args, container_ports(adapters, settings, server.deploy), component)
    return declared


def collect_server(args: ServerArgs, *, patches: bool = False) -> tuple[DeclaredObject, ...]:
    """Every Kubernetes object that `declare_server` would declare, without an engine."""
    name = args.settings.name
    return collect_objects(
        name, lambda: declare_server(args, pulumi.ComponentResource(SERVER_TYPE, name)), patches=patches
    )


def _declare_mappings(args: ServerArgs, component: pulumi.Resource) -> None:
    """What asks for names that are not asked for by their Services."""
    for adapter_type, named in args.names.items():
        if named.names.kind != "HostMapping" or not named.located.addresses:
            continue
        # Most stacks have no objects of custom kinds, and their module is slow to import.
        from dittoinfra.components.custom_resources import declare_host_mapping

        timeout = service_settings(args.settings, adapter_type).removal_timeout
        opts = deleted_promptly(pulumi.ResourceOptions(parent=component), duration_text(timeout))
        if host_mapping(args.settings.name, adapter_type).held not in args.waiting:
            declare_host_mapping(args.settings, named, args.kinds, opts)
