"""What a state holds of one component of another program. Pure.

A program may have many of them, anywhere in its tree, beside resources of every kind. A component recognises
its past by its URN and those of its aliases. One that was renamed without an alias is found by its server:
the same name in the same namespace and cluster is the same server, and has one component. It gets its past in
the shape of this project's own tree.
"""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.nested_values import block, text
from dittoinfra.settings.provider import cluster_key
from dittoinfra.state.held_stack import PROVIDERS, server_of
from dittoinfra.state.kubernetes_objects import Resources, held_object
from dittoinfra.state.server_outputs import ADAPTERS
from dittoinfra.urns import (
    component_around,
    in_server_tree,
    object_and_component,
    resource_name,
    resource_type,
    tree_type,
)

_SERVER = "server"
"""Output that notes the server's name: a component may have another one."""

_PROVIDER = "provider"
"""Output that notes which Kubernetes provider the objects have; none is noted of the default one."""

_KUBERNETES_PROVIDER = f"{PROVIDERS}kubernetes"
_DEFAULT_PROVIDER = "default"


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """Where a component's objects are today."""

    namespace: str
    provider: str | None
    """Name of their Kubernetes provider; None for the default one."""
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    """That provider's settings."""
    kubeconfigs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The files that these, and the providers of the state, name."""


@dataclass(frozen=True, slots=True)
class OwnPast:
    """What the last state holds of a component."""

    server: str | None = None
    """The server's name so far; None for a component that is new."""
    resources: Resources = field(default_factory=dict)
    """The component, its objects and their provider, in the shape of this project's own tree."""
    names_held_by: str | None = None
    """Another component whose objects have the names that this one would give to its own."""

    @property
    def urns(self) -> Mapping[tuple[str, str], str]:
        """The URN of every object in the state, by its type and its name in this project's own tree."""
        return {
            (resource_type(urn), resource_name(urn)): str(resource["urn"])
            for urn, resource in self.resources.items()
            if "urn" in resource
        }


@dataclass(frozen=True, slots=True)
class ServerComponents:
    """The components that a state has for servers, with parents of some types."""

    resources: Resources
    by_server: Mapping[tuple[str, str], Sequence[str]]
    """Their URNs by the types of all parents of their objects, and by server; those with outputs first."""

    @classmethod
    def of(cls, resources: Resources, chains: Container[str]) -> "ServerComponents":
        """Those whose objects have parents of these types."""
        found = defaultdict(list)
        for urn in sorted(resources, key=lambda urn: not _declared(resources, urn)):
            if (chain := _chain(urn)) in chains:
                found[chain, _server(resources, urn)].append(urn)
        return cls(resources, found)

    def server_of(self, urn: str, server: str) -> str | None:
        """The server that an object is for: one of these components', or the given one."""
        chain, held = tree_type(urn)[0], held_object(in_server_tree(urn))
        # Others with the same chain of types have objects whose URNs differ by nothing but their names.
        names = {server, *(name for around, name in self.by_server if around == chain)}
        outputs = self.resources[urn].get("outputs") or {}
        return server_of(in_server_tree(urn), held, outputs, names) if held is not None else None

    def around(self, urn: str, server: str) -> str:
        """The component that an object of this server belongs to, whether the state has it or not."""
        named = component_around(urn, server)
        noted = self.by_server.get((tree_type(urn)[0], server), ())
        if object_and_component(resource_name(urn))[1] or not noted:
            return named
        # Earlier versions gave objects no component's name, and a server no second component.
        return named if named in noted and _declared(self.resources, named) else noted[0]


def component_notes(server: str, provider: str | None) -> dict[str, Any]:
    """What a component notes in its outputs beyond what every server does."""
    return {_SERVER: server, **({_PROVIDER: provider} if provider is not None else {})}


def own_past(
    resources: Resources, urns: Sequence[str], server: str | None, place: ServerPlace | None
) -> OwnPast:
    """The past of the component that has, or once had, these URNs, the first of which is today's.

    `server` is the name that it gives to its server; None where it gives none, or none that is known yet.
    `place` is None while its namespace is unknown.
    """
    own = next((urn for urn in urns if _declared(resources, urn)), None)
    before = _server(resources, own) if own is not None else None
    today = server or before or resource_name(urns[0])
    chains = parent_chains(urns)
    components = ServerComponents.of(resources, chains)

    def objects(server: str) -> dict[str, str]:
        """The objects of a server, each with its component."""
        found = (urn for urn in resources if tree_type(urn)[0] in chains)
        return {
            urn: components.around(urn, server)
            for urn in found
            if components.server_of(urn, server) == server
        }

    of_today = objects(today)
    own_today = {
        urn
        for urn, this in of_today.items()
        if this in urns or _is_at(resources, this, place, resources[urn])
    }
    noted = (this for (_, name), found in components.by_server.items() if name == today for this in found)
    same = (this for this in noted if _declared(resources, this) and _is_at(resources, this, place))
    found: Resources = {}
    if today == before:
        held = _held(resources, own, today, own_today)
    else:
        found = _held(resources, next(same, None), today, own_today)
        of_before = objects(before) if before is not None else {}
        held = _held(resources, own, before, [urn for urn, this in of_before.items() if this in urns])
    called_so = (
        this
        for urn, this in of_today.items()
        if urn not in own_today and component_around(urn, today) == urns[0]
    )
    return OwnPast(before or (today if found else None), {**found, **held}, next(called_so, None))


def parent_chains(urns: Iterable[str]) -> frozenset[str]:
    """The types of all parents of a component's objects, joined by `$`, for each of its URNs."""
    return frozenset(map(_chain, urns))


def noted_provider(resources: Resources, component: str) -> str | None:
    """The name of the Kubernetes provider that a component's objects have; None for the default one."""
    return text(_outputs(resources, component), _PROVIDER)


def held_providers(resources: Resources) -> Sequence[Mapping[str, Any]]:
    """The settings of every Kubernetes provider of a state."""
    return [
        this.get("outputs") or {}
        for urn, this in resources.items()
        if resource_type(urn) == _KUBERNETES_PROVIDER
    ]


def provider_settings(resources: Resources, name: str | None) -> Mapping[str, Any]:
    """The settings of a Kubernetes provider as the state has them; None is the default one's name."""
    return next((this.get("outputs") or {} for _, this in _providers(resources, name)), {})


def same_cluster(resources: Resources, provider: str | None, place: ServerPlace) -> bool:
    """Whether a provider of the state leads to the cluster that today's leads to."""
    if provider == place.provider:
        return True
    before = provider_settings(resources, provider)
    return cluster_key(before, place.kubeconfigs) == cluster_key(place.settings, place.kubeconfigs)


def _held(
    resources: Resources, component: str | None, server: str | None, objects: Collection[str]
) -> Resources:
    """A server's component, its objects and their provider, in the shape of this project's own tree."""
    if component is None and not objects:
        return {}
    place = component or next(iter(objects))
    return {
        # Of a component without outputs nothing is remembered but its objects.
        in_server_tree(place, server): resources[component] if component is not None else {},
        **{in_server_tree(urn): {**resources[urn], "urn": urn} for urn in objects},
        **dict(_providers(resources, noted_provider(resources, component)) if component is not None else ()),
    }


def _is_at(
    resources: Resources, component: str, place: ServerPlace | None, held: Mapping[str, Any] | None = None
) -> bool:
    """Whether a component, or one object of it, is where today's component has its own."""
    if place is None:
        return False
    metadata = block((held or {}).get("outputs") or {}, "metadata")
    namespace = text(metadata, "namespace") or text(_outputs(resources, component), "namespace")
    if namespace not in (None, place.namespace):
        return False
    # One that was registered and never declared has not noted its provider.
    return not _declared(resources, component) or same_cluster(
        resources, noted_provider(resources, component), place
    )


def _declared(resources: Resources, component: str) -> bool:
    """Whether a component has outputs: a run registers it before it has any."""
    return ADAPTERS in _outputs(resources, component)


def _outputs(resources: Resources, urn: str) -> Mapping[str, Any]:
    return resources.get(urn, {}).get("outputs") or {}


def _server(resources: Resources, component: str) -> str:
    return text(_outputs(resources, component), _SERVER) or resource_name(component)


def _chain(urn: str) -> str:
    """Types of everything around a component's objects, joined by `$`."""
    parents, kind = tree_type(urn)
    return f"{parents}${kind}" if parents else kind


def _providers(resources: Resources, name: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for urn, resource in resources.items():
        if resource_type(urn) == _KUBERNETES_PROVIDER:
            own = resource_name(urn)
            if own == name or (name is None and own.startswith(_DEFAULT_PROVIDER)):
                yield urn, resource
