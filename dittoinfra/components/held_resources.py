"""Declares again what the state holds, and changes none of it."""

from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from dittoinfra.components.resource_inputs import deleted_promptly, state_name
from dittoinfra.object_model import HeldObject
from dittoinfra.state import HeldStack
from dittoinfra.urns import SERVER_TYPE

_SECRET_OUTPUTS = ["data", "stringData"]
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
    opts = pulumi.ResourceOptions(
        parent=parent,
        ignore_changes=["*"],
        retain_on_delete=this.kind in _OUTLIVING or None,
        additional_secret_outputs=_SECRET_OUTPUTS if this.kind == "Secret" else None,
    )
    # The SDK calls the unnamed API group "core" in type tokens.
    group = this.api_version if "/" in this.api_version else f"core/{this.api_version}"
    CustomResource(
        state_name(this.name, opts),
        api_version=group,
        kind=this.kind,
        opts=deleted_promptly(opts) if this.kind in _PROMPTLY_DELETED else opts,
    )
