"""What the stack declared last time, as the engine's state holds it."""

from dittoinfra.state.held_elsewhere import held_by_another, held_elsewhere
from dittoinfra.state.held_stack import HeldStack
from dittoinfra.state.kubernetes_objects import fixed_fields, held_object
from dittoinfra.state.memory import Memory, exported_resources, remember
from dittoinfra.state.own_resources import (
    OwnPast,
    ServerPlace,
    component_notes,
    held_providers,
    own_past,
)
from dittoinfra.state.server_outputs import (
    ingress_addresses,
    located,
    remembered_names,
    server_memory,
    sync_condition,
    synced_names,
)

__all__ = [
    "HeldStack",
    "Memory",
    "OwnPast",
    "ServerPlace",
    "component_notes",
    "exported_resources",
    "fixed_fields",
    "held_by_another",
    "held_elsewhere",
    "held_object",
    "held_providers",
    "ingress_addresses",
    "located",
    "own_past",
    "remember",
    "remembered_names",
    "server_memory",
    "sync_condition",
    "synced_names",
]
