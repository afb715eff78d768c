"""What the state of a program holds outside one of its components, which must not take it. Pure.

A component that was moved, or became one of another type, without an alias is a new one to the engine: it
would create the same objects again, and then delete them with the component that they belonged to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dittoinfra.nested_values import block, text
from dittoinfra.object_model import ObjectPlace, OtherHolder
from dittoinfra.state.kubernetes_objects import Resources, held_object, object_place
from dittoinfra.state.own_resources import (
    ServerComponents,
    ServerPlace,
    noted_provider,
    parent_chains,
    same_cluster,
)
from dittoinfra.urns import is_server_component, tree_type


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
    components = ServerComponents.of(resources, chains)
    found: dict[ObjectPlace, OtherHolder] = {}
    for urn in others:
        held, outputs = held_object(urn), resources[urn].get("outputs") or {}
        place = object_place(held, outputs) if held is not None else None
        if held is None or place is None:
            continue
        holder = OtherHolder(urn, text(block(outputs, "metadata"), "uid"))
        if tree_type(urn)[0] in chains and (of_server := components.server_of(urn, server)) is not None:
            around = components.around(urn, of_server)
            provider = noted_provider(resources, around)
            holder = replace(holder, server=of_server, component=around, provider=provider)
        # Of two holders the component is the one that an alias can name.
        if place not in found or found[place].component is None:
            found[place] = holder
    return found


def held_by_another(
    resources: Resources, elsewhere: Mapping[ObjectPlace, OtherHolder], server: str, today: ServerPlace
) -> tuple[ObjectPlace, OtherHolder] | None:
    """An object of the same server in another component, and in the same namespace and cluster."""
    for place, other in sorted(elsewhere.items(), key=lambda entry: str(entry[0])):
        same = (place.namespace, other.server) == (today.namespace, server)
        if other.component is not None and same and same_cluster(resources, other.provider, today):
            return place, other
    return None
