"""What the state of a program holds outside one of its components, which must not take it. Pure.

A component that was moved, or became one of another type, without an alias is a new one to the engine: it
would create the same objects again, and then delete them with the component that they belonged to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dittoinfra.nested_values import block, text
from dittoinfra.object_model import ObjectPlace, OtherHolder
from dittoinfra.settings.provider import cluster_key
from dittoinfra.state.held_stack import server_of
from dittoinfra.state.kubernetes_objects import Resources, held_object, object_place
from dittoinfra.state.own_resources import noted_provider, parent_chains, provider_settings, servers_in
from dittoinfra.urns import component_around, in_server_tree, is_server_component, tree_type


def held_elsewhere(
    resources: Resources, urns: Sequence[str], server: str
) -> Mapping[ObjectPlace, OtherHolder]:
    """Every object that the state holds by other resources than those of the component with these URNs.

    Objects with the same types of parents are left out: their URNs tell them apart. `server` is the
    component's.
    """
    own = parent_chains(urns)
    others = [urn for urn in resources if tree_type(urn)[0] not in own]
    chains = {chain for urn in others if is_server_component(chain := tree_type(urn)[0])}
    components = servers_in(resources, chains) if chains else {}
    found: dict[ObjectPlace, OtherHolder] = {}
    for urn in others:
        held, outputs = held_object(urn), resources[urn].get("outputs") or {}
        place = object_place(held, outputs) if held is not None else None
        if held is None or place is None:
            continue
        holder = OtherHolder(urn, text(block(outputs, "metadata"), "uid"))
        chain = tree_type(urn)[0]
        if chain in chains:
            names = {server, *(name for around, name in components if around == chain)}
            of_server = server_of(in_server_tree(urn), held, outputs, names)
            holder = _in_component(resources, holder, of_server, components.get((chain, of_server or "")))
        # Of two holders the component is the one that an alias can name.
        if place not in found or found[place].component is None:
            found[place] = holder
    return found


def held_by_another(
    resources: Resources,
    elsewhere: Mapping[ObjectPlace, OtherHolder],
    server: tuple[str, str],
    provider: tuple[str | None, Mapping[str, str]],
) -> tuple[ObjectPlace, OtherHolder] | None:
    """An object of the same server in another component, and in the same cluster.

    `server` is its namespace and its name, `provider` the name and the settings of today's provider.
    """
    name, settings = provider
    now = cluster_key(settings)
    for place, other in sorted(elsewhere.items(), key=lambda entry: str(entry[0])):
        if other.component is not None and (place.namespace, other.server) == server:
            before = provider_settings(resources, other.provider)
            if other.provider == name or cluster_key(before) == now:
                return place, other
    return None


def _in_component(
    resources: Resources, holder: OtherHolder, server: str | None, component: str | None
) -> OtherHolder:
    if server is None:
        return holder
    around = component or component_around(holder.urn, server)
    return replace(holder, server=server, component=around, provider=noted_provider(resources, around))
