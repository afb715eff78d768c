"""What a state holds of one component of another program. Pure.

A program may have many of them, anywhere in its tree, beside resources of every kind. A component recognises
its past by its URN and those of its aliases. One that was renamed without an alias has the same objects as
before if its server is the same, because their URNs hold the types of their parents and not the names: then
the server's name leads to its past. It gets its past in the shape of this project's own tree.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.nested_values import text
from dittoinfra.state.held_stack import PROVIDERS, server_of
from dittoinfra.state.kubernetes_objects import Resources, held_object
from dittoinfra.state.server_outputs import ADAPTERS
from dittoinfra.urns import in_server_tree, resource_name, resource_type, tree_type

_SERVER = "server"
"""Output that notes the server's name: a component may have another one."""

_PROVIDER = "provider"
"""Output that notes which Kubernetes provider the objects have; none is noted of the default one."""

_KUBERNETES_PROVIDER = f"{PROVIDERS}kubernetes"
_DEFAULT_PROVIDER = "default"


@dataclass(frozen=True, slots=True)
class OwnPast:
    """What the last state holds of a component."""

    server: str | None = None
    """The server's name so far; None for a component that is new."""
    resources: Resources = field(default_factory=dict)
    """The component, its objects and their provider, in the shape of this project's own tree."""


def component_notes(server: str, provider: str | None) -> dict[str, Any]:
    """What a component notes in its outputs beyond what every server does."""
    return {_SERVER: server, **({_PROVIDER: provider} if provider is not None else {})}


def own_past(resources: Resources, urns: Sequence[str], server: str | None) -> OwnPast:
    """The past of the component that has, or once had, these URNs, the first of which is today's.

    `server` is the name that it gives to its server; None where it gives none, or none that is known yet.
    """
    # A run registers a component before it has outputs: only one with outputs has been declared before.
    own = next((urn for urn in urns if ADAPTERS in _outputs(resources, urn)), None)
    before = _server(resources, own) if own is not None else None
    chains = parent_chains(urns)
    held = _held(resources, own, before, chains) if before is not None else {}
    today = server or before or resource_name(urns[0])
    if today == before:
        return OwnPast(before, held)
    # The objects of today's server have the same URNs, whichever component has declared them so far.
    found = _held(resources, _noted(resources, chains, today), today, chains)
    return OwnPast(before or (today if found else None), {**found, **held})


def parent_chains(urns: Iterable[str]) -> frozenset[str]:
    """The types of all parents of a component's objects, joined by `$`, for each of its URNs."""
    return frozenset(map(_chain, urns))


def servers_in(resources: Resources, chains: Container[str]) -> dict[tuple[str, str], str]:
    """The components whose objects have such parents: their URNs by these types and by server."""
    components = [urn for urn in resources if _chain(urn) in chains]
    # Of two for one server, the one that has been declared before counts: it comes last.
    components.sort(key=lambda urn: ADAPTERS in _outputs(resources, urn))
    return {(_chain(urn), _server(resources, urn)): urn for urn in components}


def noted_provider(resources: Resources, component: str) -> str | None:
    """The name of the Kubernetes provider that a component's objects have; None for the default one."""
    return text(_outputs(resources, component), _PROVIDER)


def provider_settings(resources: Resources, name: str | None) -> Mapping[str, Any]:
    """The settings of a Kubernetes provider as the state has them; None is the default one's name."""
    return next((this.get("outputs") or {} for _, this in _providers(resources, name)), {})


def _held(resources: Resources, component: str | None, server: str, chains: Container[str]) -> Resources:
    """A server's component, its objects and their provider, in the shape of this project's own tree."""
    # Others with the same chain of types have objects whose URNs differ by nothing but their names.
    names = {server, *(other for _, other in servers_in(resources, chains))}
    objects = {
        urn: resource
        for urn, resource in resources.items()
        if tree_type(urn)[0] in chains and _is_of(server, urn, resource, names)
    }
    if component is None and not objects:
        return {}
    place = component or next(iter(objects))
    return {
        # Of a component without outputs nothing is remembered but its objects.
        in_server_tree(place, server): resources[component] if component is not None else {},
        **{in_server_tree(urn): {**resource, "urn": urn} for urn, resource in objects.items()},
        **dict(_providers(resources, noted_provider(resources, component)) if component is not None else ()),
    }


def _noted(resources: Resources, chains: Container[str], server: str) -> str | None:
    """The component that has noted to be this server's."""
    found = (urn for (_, name), urn in servers_in(resources, chains).items() if name == server)
    return next((urn for urn in found if ADAPTERS in _outputs(resources, urn)), None)


def _outputs(resources: Resources, urn: str) -> Mapping[str, Any]:
    return resources.get(urn, {}).get("outputs") or {}


def _server(resources: Resources, component: str) -> str:
    return text(_outputs(resources, component), _SERVER) or resource_name(component)


def _chain(urn: str) -> str:
    """Types of everything around a component's objects, joined by `$`."""
    parents, kind = tree_type(urn)
    return f"{parents}${kind}" if parents else kind


def _is_of(server: str, urn: str, resource: Mapping[str, Any], names: set[str]) -> bool:
    held = held_object(urn)
    if held is None:
        return False
    return server_of(in_server_tree(urn), held, resource.get("outputs") or {}, names) == server


def _providers(resources: Resources, name: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for urn, resource in resources.items():
        if resource_type(urn) == _KUBERNETES_PROVIDER:
            own = resource_name(urn)
            if own == name or (name is None and own.startswith(_DEFAULT_PROVIDER)):
                yield urn, resource
