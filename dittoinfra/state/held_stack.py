"""Everything that a state holds, for a run that declares exactly that again. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.nested_values import block, text
from dittoinfra.object_model import HeldObject
from dittoinfra.state.kubernetes_objects import Resources, held_object, outputs_by_name
from dittoinfra.urns import NAMESPACE, SERVER_TYPE, STACK_TYPE, adapter_around, tree_type

PROVIDERS = "pulumi:providers:"


@dataclass(frozen=True, slots=True)
class HeldStack:
    """The resources of a state, in the shape that this version declares."""

    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The outputs of every server's component, by server."""
    objects: tuple[tuple[str | None, HeldObject], ...] = ()
    """Every Kubernetes object, with its server; None for a namespace, which belongs to the whole stack."""
    outputs: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What the stack exports."""

    def only(self, servers: Collection[str]) -> "HeldStack":
        """What it holds of these servers."""
        exported = block(self.outputs, "servers")
        return HeldStack(
            {name: outputs for name, outputs in self.servers.items() if name in servers},
            tuple((name, this) for name, this in self.objects if name in servers),
            {"servers": {name: server for name, server in exported.items() if name in servers}},
        )


def held_stack(resources: Resources) -> HeldStack | None:
    """None where the state has a resource that this version would declare elsewhere, or not at all."""
    servers = outputs_by_name(resources, SERVER_TYPE)
    objects = tuple(_objects(resources, servers))
    if None in objects:
        return None
    stack = next(iter(outputs_by_name(resources, STACK_TYPE).values()), {})
    return HeldStack(servers, tuple(this for this in objects if this is not None), stack)


def _objects(
    resources: Resources, servers: Collection[str]
) -> Iterator[tuple[str | None, HeldObject] | None]:
    for urn, resource in resources.items():
        parents, kind = tree_type(urn)
        held = held_object(urn)
        if kind in (STACK_TYPE, SERVER_TYPE) or kind.startswith(PROVIDERS):
            continue
        if held is not None and parents == SERVER_TYPE:
            server = server_of(urn, held, resource.get("outputs") or {}, servers)
            yield None if server is None else (server, held)
        else:
            yield (None, held) if held is not None and not parents and kind == NAMESPACE else None


def server_of(urn: str, held: HeldObject, outputs: Mapping[str, Any], servers: Collection[str]) -> str | None:
    """The one of these servers whose component an object belongs to. URNs name only the type of a parent."""
    adapter = adapter_around(urn)
    labelled = adapter[0] if adapter else text(block(outputs, "metadata", "labels"), "instance")
    if labelled in servers:
        return labelled
    # Patches have no labels, and labels are live: then by its name, which begins with its server's.
    named = (server for server in servers if f"{held.name}-".startswith(f"{server}-"))
    return max(named, key=len, default=None)
