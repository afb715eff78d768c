"""Every Kubernetes object that a server's declaration consists of, without its content. Pure.

The guard has to know their names before the content is known, which depends on live objects. A test compares
this table with `server_objects`.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dittoinfra import naming
from dittoinfra.decide.custom_kinds import CustomObject, KindDecision, custom_objects
from dittoinfra.decide.exposure import adapter_ingress, baseline_ingress, default_deny, split_ports
from dittoinfra.model import DeclaredAdapter, Note, ServerDecision
from dittoinfra.object_model import HeldObject, ObjectPlace, PlannedObject
from dittoinfra.settings import ServerSecrets, ServerSettings, service_settings

_SERVICE = ("v1", "Service")
_POLICY = ("networking.k8s.io/v1", "NetworkPolicy")

_Entry = tuple[tuple[str, str], str] | tuple[tuple[str, str], str, str]
"""API version and kind; the name in the engine's state; the name in the cluster where it is another one."""


def planned_objects(
    server: ServerSettings,
    decision: ServerDecision,
    kinds: KindDecision | None = None,
    secrets: ServerSecrets | None = None,
    mappings: Iterable[CustomObject] = (),
) -> tuple[PlannedObject, ...]:
    """Every object that is declared for a server, without patches: they change objects of other managers.

    `mappings` are those of its adapters' names.
    """
    entries = (
        *(entry for adapter in decision.adapters for entry in _of_adapter(server, adapter)),
        *_of_server(server, secrets or ServerSecrets()),
        *(
            ((custom.kind.api_version, custom.kind.kind), custom.name)
            for custom in (*custom_objects(server), *mappings)
            if kinds is None or kinds.declares(custom)
        ),
    )
    return tuple(
        PlannedObject(
            server.name,
            HeldObject(api_version, kind, names[0]),
            ObjectPlace(api_version, kind, server.namespace, names[-1]),
        )
        for (api_version, kind), *names in entries
    )


def _of_adapter(server: ServerSettings, adapter: DeclaredAdapter) -> Iterator[_Entry]:
    settings = service_settings(server, adapter.type)
    resource = naming.adapter_resource(server.name, adapter.type)
    name = naming.adapter_service(server.name, adapter.type)
    yield _SERVICE, resource, name
    if split_ports(adapter, settings):
        udp = naming.adapter_udp_service(server.name, adapter.type)
        yield _SERVICE, naming.udp_resource(resource), udp
    if adapter_ingress(server, adapter, settings) is not None:
        yield _POLICY, resource, name


def _of_server(server: ServerSettings, secrets: ServerSecrets) -> Iterator[_Entry]:
    if baseline_ingress(server) is not None:
        yield _POLICY, naming.baseline_policy(server.name)
    if default_deny(server):
        yield _POLICY, naming.default_deny_policy(server.name)
    deploy = server.deploy
    if deploy is None:
        return
    yield _SERVICE, naming.api_service(server.name)
    if deploy.metrics.enabled:
        yield _SERVICE, naming.metrics_service(server.name)
    if deploy.api.ingress is not None:
        yield ("networking.k8s.io/v1", "Ingress"), naming.api_service(server.name)
    yield _SERVICE, naming.headless_service(server.name)
    if deploy.pod_disruption_budget:
        yield ("policy/v1", "PodDisruptionBudget"), server.name
    yield ("v1", "ConfigMap"), naming.config_map(server.name)
    if secrets.jwt is not None:
        yield ("v1", "Secret"), naming.jwt_secret(server.name)
    if secrets.admin_password is not None:
        yield ("v1", "Secret"), naming.admin_secret(server.name)
    yield ("apps/v1", "StatefulSet"), server.name


@dataclass(frozen=True, slots=True)
class NamespaceDecision:
    """Namespaces to declare, each once however many servers live in it."""

    declared: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def wanted_namespaces(servers: Sequence[ServerSettings]) -> tuple[str, ...]:
    """Namespaces that some server wants to have declared."""
    return tuple(sorted({s.namespace for s in servers if s.deploy is not None and s.deploy.create_namespace}))


def decide_namespaces(
    servers: Sequence[ServerSettings], existing: Mapping[str, bool], held: Container[HeldObject]
) -> NamespaceDecision:
    """An existing namespace of another manager is used as it is; one of unknown existence is declared."""
    wanted = wanted_namespaces(servers)
    foreign = {name for name in wanted if existing.get(name, False) and held_namespace(name) not in held}
    return NamespaceDecision(
        declared=tuple(name for name in wanted if name not in foreign),
        notes=tuple(
            Note(s.name, f"namespace {s.namespace} exists already: used as it is, and not this stack's")
            for s in servers
            if s.deploy is not None and s.deploy.create_namespace and s.namespace in foreign
        ),
    )


def namespace_place(name: str) -> ObjectPlace:
    """Where a cluster keeps a namespace."""
    return ObjectPlace("v1", "Namespace", "", name)


def planned_namespaces(names: Iterable[str], servers: Sequence[ServerSettings]) -> tuple[PlannedObject, ...]:
    """The namespaces that are declared, each for the first server in it."""
    first = {server.namespace: server.name for server in reversed(servers)}
    return tuple(PlannedObject(first[name], held_namespace(name), namespace_place(name)) for name in names)


def held_namespace(name: str) -> HeldObject:
    """A namespace's identity in the engine's state."""
    return HeldObject("v1", "Namespace", name)
