"""Kubernetes objects as plain values: in the stack's state, about to be declared, and live in the cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from dittoinfra.nested_values import block

SERVICE_NAME_LABEL: Final = "kubernetes.io/service-name"
"""The label of an EndpointSlice that names its Service."""


def endpoint_is_ready(endpoint: Mapping[str, Any]) -> bool:
    """Whether an endpoint of an EndpointSlice is ready: unknown counts as ready, says the API."""
    return block(endpoint, "conditions").get("ready") is not False


@dataclass(frozen=True, slots=True)
class VolumeClaim:
    """A claim of a StatefulSet, as far as a user can choose it."""

    name: str
    size: str | None
    """None where a StatefulSet of another manager requests none."""
    storage_class: str | None = None


@dataclass(frozen=True, slots=True)
class FixedFields:
    """What Kubernetes fixes when a StatefulSet is created: with another value it is another StatefulSet."""

    namespace: str
    service_name: str
    selector: Mapping[str, str]
    pod_management: str
    claims: tuple[VolumeClaim, ...]


WorkloadMemory = Mapping[str, FixedFields]
"""The StatefulSet of every server in the stack's state, by server name."""


@dataclass(frozen=True, slots=True)
class SecretsSeen:
    """What a stack remembers of the Secrets that a deployed server reads."""

    digests: Mapping[str, str] = field(default_factory=dict)
    """A keyed digest of each value, by `secret/key`."""
    restart: str | None = None
    """The hash in the Pod's template; None until one of the Secrets has changed."""


@dataclass(frozen=True, slots=True)
class HeldObject:
    """A Kubernetes object that the stack's last state holds, by its name in the engine's state."""

    api_version: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class ObjectPlace:
    """Where a cluster keeps an object."""

    api_version: str
    kind: str
    namespace: str
    """Empty for what belongs to no namespace."""
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" + (f" in namespace {self.namespace}" if self.namespace else "")


HeldObjects = Mapping[HeldObject, ObjectPlace | None]
"""Every Kubernetes object of the stack's last state and where it is; None where the state does not say."""


@dataclass(frozen=True, slots=True)
class ObjectIdentity:
    """What tells an object of the state from another one that has its place in the cluster."""

    urn: str
    uid: str | None = None
    manager: str | None = None
    """The field manager that the provider applies this object with."""


@dataclass(frozen=True, slots=True)
class OtherHolder:
    """A resource outside a component that the state holds an object by."""

    urn: str
    uid: str | None = None
    """The object's UID in the cluster, where the state has it."""
    server: str | None = None
    """The server that it belongs to, where it is in another component for servers."""
    component: str | None = None
    """The URN of that component."""
    provider: str | None = None
    """The name of that component's Kubernetes provider; None for the default one."""


@dataclass(frozen=True, slots=True)
class PlannedObject:
    """A Kubernetes object that a run declares, without its content."""

    server: str
    held: HeldObject
    """How the engine's state knows it."""
    place: ObjectPlace

    def __str__(self) -> str:
        return str(self.place)


@dataclass(frozen=True, slots=True)
class LiveObject:
    """What a cluster tells of an object that exists."""

    metadata: Mapping[str, Any] = field(repr=False)
    restarted: str | None = None
    """When `kubectl rollout restart` was last run on it, where it is a workload."""
    ports: frozenset[str] = frozenset()
    """Ports of its containers, as `naming.port_text` spells them, where it is a workload."""
    content: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The object as a whole, as far as it was read."""

    @property
    def terminating(self) -> bool:
        """Whether it is being deleted."""
        return "deletionTimestamp" in self.metadata

    @property
    def finalizers(self) -> tuple[str, ...]:
        """What its deletion waits for."""
        return tuple(map(str, self.metadata.get("finalizers") or ()))


LiveObjects = Mapping[ObjectPlace, LiveObject | None]
"""Live objects by place: None where the object does not exist, no entry where it could not be read."""


@dataclass(frozen=True, slots=True)
class DeclaredObject:
    """A Kubernetes object that a run is about to declare."""

    server: str
    held: HeldObject
    """How the engine's state would know it."""
    manifest: Mapping[str, Any] = field(repr=False)
    """The whole object, unencrypted where it is a Secret."""
    after: tuple[HeldObject, ...] = ()
    """Objects that are created before it."""
    removal_timeout: str | None = None
    """How long a run waits for its deletion; None for as long as the provider does by itself."""
    retained: bool = False
    """Whether it stays in the cluster when it leaves the stack."""
    ignored: tuple[str, ...] = ()
    """Properties whose changes are not applied."""
    former_parent: str | None = None
    """Type of the component that it was in, in states of earlier versions."""

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.manifest["kind"])

    @property
    def patches(self) -> bool:
        """Whether it changes an object of another manager."""
        return self.held.kind != self.kind

    @property
    def api_version(self) -> str:
        """The version of the API that it is declared in."""
        return str(self.manifest["apiVersion"])

    @property
    def name(self) -> str:
        """Its name in the cluster."""
        return str(self.manifest["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Where in the cluster it is; empty for what belongs to no namespace."""
        return str(self.manifest["metadata"].get("namespace", ""))

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
