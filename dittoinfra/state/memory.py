"""Everything that is read from a stack's state, from its resources by URN. Pure.

The engine passes resources to a running program, and exports them to other callers: both forms are read.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.model import NameMemory, ServersMemory, StackMemory
from dittoinfra.nested_values import is_secret
from dittoinfra.object_model import (
    HeldObject,
    HeldObjects,
    ObjectIdentity,
    ObjectPlace,
    OtherHolder,
    SecretsSeen,
    WorkloadMemory,
)
from dittoinfra.settings.provider import replacing_settings
from dittoinfra.state.held_stack import PROVIDERS, HeldStack, held_stack
from dittoinfra.state.kubernetes_objects import (
    Resources,
    held_objects,
    object_identities,
    outputs_by_name,
    patched_ports,
    remembered_objects,
    remembered_restarts,
    remembered_workloads,
)
from dittoinfra.state.remembered import remembered_adapters, remembered_servers
from dittoinfra.state.server_outputs import remembered_config, remembered_names, remembered_secrets
from dittoinfra.urns import STACK_TYPE, resource_type

_SECRETS = ("kubernetes:core/v1:Secret", "kubernetes:core/v1:SecretPatch")
_PROVIDER_TYPE = "pulumi:providers:kubernetes"


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything that is remembered of the last state of a stack."""

    adapters: StackMemory = field(default_factory=dict)
    workloads: WorkloadMemory = field(default_factory=dict)
    objects: HeldObjects = field(default_factory=dict)
    identities: Mapping[HeldObject, ObjectIdentity] = field(default_factory=dict)
    """How each of the objects is recognised in the cluster."""
    servers: ServersMemory = field(default_factory=dict)
    names: NameMemory = field(default_factory=NameMemory)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """One for every resource by URN: a different fingerprint means that the state has changed."""
    exported: bool = False
    """Whether it was read from an exported state, whose numbers are not those that the engine passes."""
    patched_ports: Mapping[str, str] = field(default_factory=dict)
    """Ports that the stack has added to StatefulSets of other managers, in one line, by server."""
    restarts: Mapping[str, str] = field(default_factory=dict)
    """When `kubectl rollout restart` was last run on a server's workload, by server."""
    secrets: Mapping[str, SecretsSeen] = field(default_factory=dict)
    """What was seen of the Secrets that each deployed server reads, by server."""
    carried: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is carried over into the configuration of adopted servers, by server."""
    replacing: tuple[str, ...] = ()
    """Settings of the provider that have changed since, and for which it replaces every object."""
    contents: Mapping[HeldObject, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """Every object but Secrets as the engine last saw it, with what was declared of it."""
    held: HeldStack | None = None
    """All of the state, to be declared again as it is; None where that cannot be done."""
    of_component: bool = False
    """Whether this is what one component of a program remembers: there may be others beside it."""
    elsewhere: Mapping[ObjectPlace, OtherHolder] = field(default_factory=dict)
    """Objects that the program's state holds outside this component: deleting their holder deletes them."""


def remember(resources: Resources, provider: Mapping[str, str], kubeconfigs: Mapping[str, str]) -> Memory:
    """What a state holds; `provider` are today's settings of the Kubernetes provider.

    `kubeconfigs` are the files that these, and the providers of the state, name.
    """
    replacing = _replacing(resources, provider, kubeconfigs)
    return Memory(
        adapters=remembered_adapters(resources),
        workloads=remembered_workloads(resources),
        restarts=remembered_restarts(resources),
        objects=held_objects(resources),
        identities=object_identities(resources),
        servers=remembered_servers(resources),
        names=remembered_names(resources),
        patched_ports=patched_ports(resources),
        secrets=remembered_secrets(resources),
        carried=remembered_config(resources),
        fingerprints=fingerprints(resources),
        replacing=replacing,
        contents=remembered_objects(resources),
        # A provider that leads elsewhere replaces every object, whatever is declared of it.
        held=None if replacing else held_stack(resources),
    )


def exported_resources(deployment: Mapping[str, Any]) -> Resources:
    """The resources of an exported state by URN, without those that are pending deletion."""
    resources: Sequence[Mapping[str, Any]] = deployment.get("resources") or ()
    return {str(this["urn"]): this for this in resources if not this.get("delete")}


def fingerprints(resources: Resources) -> Mapping[str, str]:
    """One for every resource that the program declares, by URN.

    Providers have none: they hold credentials, and the configuration of a provider is compared separately.
    The stack has none: the engine registers it again, and may have saved that, before the program reads it.
    """
    return {
        urn: _fingerprint(urn, resource.get("outputs") or {})
        for urn, resource in resources.items()
        if resource_type(urn) != STACK_TYPE and not resource_type(urn).startswith(PROVIDERS)
    }


def _fingerprint(urn: str, outputs: Mapping[str, Any]) -> str:
    # Of a Secret only its metadata: a short password could be guessed from a fingerprint of it.
    seen = outputs.get("metadata") if resource_type(urn) in _SECRETS else outputs
    return hashlib.sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()


def _replacing(
    resources: Resources, now: Mapping[str, str], kubeconfigs: Mapping[str, str]
) -> tuple[str, ...]:
    for before in outputs_by_name(resources, _PROVIDER_TYPE).values():
        # In an exported state secrets are encrypted: nothing can be compared with them.
        hidden = {"version", *(key for key, value in before.items() if is_secret(value))}
        known, current = (
            {key: value for key, value in settings.items() if key not in hidden} for settings in (before, now)
        )
        if changed := replacing_settings(known, current, kubeconfigs):
            return changed
    return ()
