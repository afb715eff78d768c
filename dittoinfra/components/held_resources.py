"""Declares again what the state holds, and changes none of it."""

from typing import Any

import pulumi

from dittoinfra.components.kubernetes_object import register, state_name
from dittoinfra.decide.server_objects import PROMPT_DELETION
from dittoinfra.object_model import HeldObject
from dittoinfra.state import HeldStack
from dittoinfra.urns import SERVER_TYPE

_OUTLIVING = ("Namespace", "PerconaPGCluster")
"""Kinds whose objects stay when they leave the stack: with them, volume claims and databases would go."""
_PROMPTLY_DELETED = ("Service", "NetworkPolicy", "ConfigMap", "Secret", "PodDisruptionBudget")


def declare_held(held: HeldStack) -> None:
    """Every resource of the state, with the inputs and outputs that it has there."""
    components = {name: _HeldServer(name, dict(outputs)) for name, outputs in held.servers.items()}
    for server, this in held.objects:
        _declare(this, components[server] if server is not None else None)


def declare_held_server(held: HeldStack, server: str, component: pulumi.ComponentResource) -> None:
    """Declare the held objects of one server again, as children of a component of another program."""
    component.register_outputs(dict(held.servers[server]))
    for _, this in held.objects:
        _declare(this, component)


class _HeldServer(pulumi.ComponentResource):
    def __init__(self, name: str, outputs: dict[str, Any]) -> None:
        super().__init__(SERVER_TYPE, name)
        self.register_outputs(outputs)


def _declare(this: HeldObject, parent: pulumi.Resource | None) -> None:
    # The engine keeps the inputs of ignored fields: all of them. The other options are those of an ordinary
    # run: the next one may delete the object, and it does so by the options in the state.
    prompt = pulumi.CustomTimeouts(delete=PROMPT_DELETION) if this.kind in _PROMPTLY_DELETED else None
    opts = pulumi.ResourceOptions(
        parent=parent,
        ignore_changes=["*"],
        retain_on_delete=this.kind in _OUTLIVING or None,
        custom_timeouts=prompt,
    )
    content = {"apiVersion": this.api_version, "kind": this.kind}
    register(state_name(this.name, parent), this, content, opts)
